// Copyright 2026 The authors of mbd_ros
//
// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
// in compliance with the License. You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software distributed under the License
// is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
// or implied. See the License for the specific language governing permissions and limitations under
// the License.

/* The page of a robot: sliders and the mouse move it, its dynamics is WebAssembly.

   Before this text stand `robot` and `load` (js_text.py) and `page` (static_page.py); the global
   names of trimesh's page are `scene`, `camera`, `controls`, `renderer` and `THREE`. */

const STEPS = 40; // of inverse kinematics or of closing loops, at most
const DAMPING = 1e-4; // of inverse kinematics, added to J J', by the square of the robot's size
const CLOSE = 1e-9; // loops count as closed [m, rad]

const element = (kind, parent, text = '', name = '') => {
  const made = document.createElement(kind);
  made.textContent = text;
  made.className = name;
  return parent.appendChild(made);
};

const decimals = (number, count) => number.toFixed(count).replace(/^-(?=[0.]*$)/, '');

/* The controls of trimesh's page are there once it has read the robot. */
const loaded = () => new Promise((resolve) => {
  const look = () => (window.controls ? resolve() : requestAnimationFrame(look));
  look();
});

/* Solve a b = c for three unknowns by Cramer's rule. */
const solved = (a, c) => {
  const m = new THREE.Matrix3().set(...a.flat());
  return new THREE.Vector3(...c).applyMatrix3(m.invert()).toArray();
};

const start = async () => {
  const bytes = Uint8Array.from(atob(page.code), (one) => one.charCodeAt(0));
  const dynamics = await load(bytes);
  await loaded();
  const q = Float64Array.from(page.start);
  const still = new Float64Array(robot.nv);

  /* The scene: links, their frames, mass centre, ground, what the mouse drags. */
  THREE.Object3D.DefaultUp.set(0, 0, 1);
  camera.up.set(0, 0, 1);
  scene.background = new THREE.Color(0xf4f6f8);
  scene.add(new THREE.AmbientLight(0xffffff, 0.45));
  tracklight.intensity = 0.8;
  const grid = new THREE.GridHelper(page.ground, 20, 0x9aa3ad, 0xd5dae0);
  grid.rotation.x = Math.PI / 2;
  scene.add(grid);
  const unseen = () => Object.assign(new THREE.Group(), { visible: false });
  const links = page.links.map((link) => {
    const drawn = scene.getObjectByName(link.node) ?? scene.add(new THREE.Group()).children.at(-1);
    drawn.matrixAutoUpdate = false;
    const frame = unseen();
    frame.add(new THREE.AxesHelper(page.size / 10));
    drawn.add(frame);
    return { ...link, drawn, frame, fixed: new THREE.Matrix4().set(...link.pose.flat()) };
  });
  const ball = (radius, color) => new THREE.Mesh(
    new THREE.SphereGeometry(radius * page.size, 24, 16),
    new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.8 }));
  const centre = Object.assign(ball(0.015, 0xd62728), { visible: false });
  const handle = ball(0.025, 0x1f77b4);
  scene.add(centre, handle);

  /* The panel. */
  const panel = element('aside', document.body);
  element('h1', panel, robot.name);
  element('p', panel, 'Move the sliders, or drag the blue ball.', 'hint');
  const status = element('p', panel, '', 'status');
  const rows = page.sliders.map((slider) => {
    const row = element('label', panel, '', 'row');
    element('span', row, slider.name);
    const input = element('input', row);
    Object.assign(input, { type: 'range', min: slider.low, max: slider.high, step: 'any' });
    const number = element('output', row);
    input.addEventListener('input', () => { q[slider.q] = Number(input.value); closed(); show(); });
    return { ...slider, input, number };
  });
  element('h2', panel, page.heading);
  const bars = page.efforts.map((effort) => {
    const row = element('div', panel, '', 'row');
    element('span', row, effort.name);
    const bar = element('i', element('b', row));
    return { ...effort, bar, number: element('output', row) };
  });
  element('h2', panel, 'View');
  const box = (text, change) => {
    const row = element('label', panel, '', 'box');
    const input = Object.assign(element('input', row), { type: 'checkbox' });
    element('span', row, text);
    input.addEventListener('change', () => { change(input.checked); show(); });
  };
  box('Frames of links', (on) => links.forEach((link) => { link.frame.visible = on; }));
  box('Mass centre', (on) => { centre.visible = on; });
  const row = element('label', panel, '', 'box');
  element('span', row, 'The ball drags');
  const tip = element('select', row);
  page.tips.forEach((one) => element('option', tip, one.link));
  tip.addEventListener('change', () => show());
  element('button', panel, 'Reset').addEventListener('click', () => { q.set(page.start); show(); });

  const tipOf = () => page.tips[tip.selectedIndex];
  const placeOf = (one) => {
    const m = dynamics[one.pose](q);
    return [m[3], m[7], m[11]];
  };

  /* Close loops after a joint was moved, by least displacements of all joints. */
  const closed = () => {
    if (!dynamics.position_correction) return;
    let size = Infinity;
    for (let k = 0; k < STEPS && size > CLOSE; ++k) {
      const change = dynamics.position_correction(q, still);
      size = Math.max(...change.map(Math.abs));
      q.set(dynamics.configuration_step(q, change, [1]));
    }
    status.textContent = size > CLOSE ? 'The loops do not close here.' : '';
  };

  /* Move what the ball drags to a place: damped least squares within the limits of the joints. */
  const reach = (wanted) => {
    const one = tipOf();
    for (let k = 0; k < STEPS; ++k) {
      const error = placeOf(one).map((x, i) => wanted[i] - x);
      if (Math.hypot(...error) < 1e-5 * page.size) return;
      const j = dynamics[one.jacobian](q);
      const column = (slider) => [0, 1, 2].map((i) => j[i * robot.nv + slider.v]);
      const free = rows.map((slider) => ({ ...slider, j: column(slider) }));
      const normal = [0, 1, 2].map((i) => [0, 1, 2].map((l) => free.reduce(
        (sum, slider) => sum + slider.j[i] * slider.j[l], i === l ? DAMPING * page.size ** 2 : 0)));
      const force = solved(normal, error);
      free.forEach((slider) => {
        const change = slider.j.reduce((sum, x, i) => sum + x * force[i], 0);
        q[slider.q] = Math.min(slider.high, Math.max(slider.low, q[slider.q] + change));
      });
      closed();
    }
  };

  const show = () => {
    const poses = dynamics.body_poses(q);
    const place = new THREE.Matrix4();
    links.forEach((link) => {
      if (link.body < 0) place.identity();
      else place.set(...poses.slice(16 * link.body, 16 * link.body + 16));
      link.drawn.matrix.multiplyMatrices(place, link.fixed);
      link.drawn.matrixWorldNeedsUpdate = true;
    });
    centre.position.set(...dynamics.center_of_mass(q));
    handle.position.set(...placeOf(tipOf()));
    rows.forEach((slider) => {
      slider.input.value = q[slider.q];
      slider.number.textContent = `${decimals(q[slider.q], 3)} ${slider.unit}`;
    });
    const efforts = dynamics.gravity_forces(q);
    const most = Math.max(1e-9, ...efforts.map(Math.abs));
    bars.forEach(({ v, limit, unit, bar, number }) => {
      const share = Math.abs(efforts[v]) / (limit ?? most);
      bar.style.width = `${Math.min(100, 100 * share)}%`;
      bar.className = limit && share > 1 ? 'over' : '';
      number.textContent = `${decimals(efforts[v], 2)} ${unit}`;
    });
    render();
  };

  /* The mouse takes the ball and moves it in the plane of the picture. */
  const rays = new THREE.Raycaster();
  const canvas = renderer.domElement;
  const aim = (event) => {
    const box = canvas.getBoundingClientRect();
    rays.setFromCamera({
      x: 2 * (event.clientX - box.left) / box.width - 1,
      y: 1 - 2 * (event.clientY - box.top) / box.height,
    }, camera);
  };
  let plane = null;
  canvas.addEventListener('pointerdown', (event) => {
    aim(event);
    if (!rays.intersectObject(handle).length) return;
    const facing = camera.getWorldDirection(new THREE.Vector3());
    plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, handle.position);
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  }, true);
  canvas.addEventListener('pointermove', (event) => {
    if (!plane) return;
    aim(event);
    const wanted = rays.ray.intersectPlane(plane, new THREE.Vector3());
    if (wanted) reach(wanted.toArray());
    show();
  });
  const letGo = () => { plane = null; controls.enabled = true; };
  canvas.addEventListener('pointerup', letGo);
  canvas.addEventListener('pointercancel', letGo);

  /* The robot stands in the middle of what the panel leaves. */
  const fit = () => {
    const [width, height] = [window.innerWidth, window.innerHeight];
    camera.setViewOffset(width, height, panel.offsetWidth / 2, 0, width, height);
    show();
  };
  window.addEventListener('resize', fit);
  camera.position.set(...page.eye);
  controls.target.set(...page.middle);
  controls.update();
  fit();
  window.shown = { q, dynamics, show, reach, placeOf, tips: page.tips };
};

start().catch((error) => { element('p', document.body, `The robot does not move: ${error}`, 'failed'); });
