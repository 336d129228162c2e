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
const RANK = 1e-8; // of the largest entry of rows: pivots below it are roundings

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

/* Reduce rows by the largest pivots of their first columns; returns row and column of each. */
const reduced = (rows, columns) => {
  const found = [], left = new Set(rows.keys());
  const tiny = RANK * (Math.max(0, ...rows.flat().map(Math.abs)) || 1);
  for (;;) {
    let [largest, row, column] = [tiny, -1, -1];
    left.forEach((i) => {
      for (let j = 0; j < columns; ++j) {
        if (Math.abs(rows[i][j]) > largest) [largest, row, column] = [Math.abs(rows[i][j]), i, j];
      }
    });
    if (row < 0) return found;
    left.delete(row);
    const pivot = rows[row].map((x) => x / rows[row][column]);
    rows.forEach((other, i) => {
      rows[i] = i === row ? pivot : other.map((x, j) => x - other[column] * pivot[j]);
    });
    found.push([row, column]);
  }
};

/* Solve a x = c; null where that does not determine x. */
const solved = (a, c) => {
  const rows = a.map((row, i) => [...row, c[i]]);
  const x = new Array(c.length).fill(0), found = reduced(rows, c.length);
  found.forEach(([row, column]) => { x[column] = rows[row][c.length]; });
  return found.length < c.length ? null : x;
};

/* The velocities that rows leave free, a basis of these. */
const free = (rows, columns) => {
  const found = reduced(rows, columns), bound = new Set(found.map(([, column]) => column));
  return [...Array(columns).keys()].filter((k) => !bound.has(k)).map((k) => {
    const motion = new Array(columns).fill(0);
    motion[k] = 1;
    found.forEach(([row, column]) => { motion[column] = -rows[row][k]; });
    return motion;
  });
};

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

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
    element('span', row, slider.name).title = slider.name;
    const input = element('input', row);
    Object.assign(input, { type: 'range', min: slider.low, max: slider.high, step: 'any' });
    const number = element('output', row);
    input.addEventListener('input', () => { q[slider.q] = Number(input.value); settle(); show(); });
    return { ...slider, input, number };
  });
  const loops = Boolean(dynamics.loop_rows);
  element('h2', panel, loops ? 'Effort of the joints that drive it' : 'Effort that holds it');
  const unheld = element('p', panel, '', 'status');
  const bars = page.efforts.map((effort) => {
    const row = element('label', panel, '', 'row');
    const name = Object.assign(element('span', row), { title: effort.name });
    if (loops) {
      const drives = Object.assign(document.createElement('input'), {
        type: 'checkbox', checked: effort.driven });
      drives.addEventListener('change', () => { effort.driven = drives.checked; show(); });
      name.prepend(drives);
    }
    name.append(effort.name);
    const bar = element('i', element('b', row));
    return { effort, bar, number: element('output', row) };
  });
  element('h2', panel, 'View');
  const box = (text, change) => {
    const row = element('label', panel, '', 'box');
    const input = Object.assign(element('input', row), { type: 'checkbox' });
    element('span', row, text);
    input.addEventListener('change', () => { change(input.checked); show(); });
  };
  box('Frames of links', (on) => links.forEach((link) => { link.frame.visible = on; }));
  if (dynamics.center_of_mass) box('Mass centre', (on) => { centre.visible = on; });
  const row = element('label', panel, '', 'box');
  element('span', row, 'The ball drags');
  const tip = element('select', row);
  page.tips.forEach((one) => element('option', tip, one.link));
  tip.addEventListener('change', () => show());
  element('button', panel, 'Reset').addEventListener('click', () => {
    q.set(page.start);
    settle();
    show();
  });

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

  /* Bend links until what their stiffness bears is the weight. */
  const bent = () => {
    for (let k = 0; k < STEPS && page.elastic.length; ++k) {
      const rest = dynamics.gravity_forces(q);
      if (Math.max(...page.elastic.map(({ v }) => Math.abs(rest[v]))) < CLOSE) return;
      const slopes = dynamics.inverse_dynamics_derivatives(q, still, still);
      const change = solved(
        page.elastic.map(({ v }) => page.elastic.map((other) => slopes[v * robot.nv + other.v])),
        page.elastic.map(({ v }) => rest[v]));
      if (!change) return;
      page.elastic.forEach((one, i) => { q[one.q] -= change[i]; });
    }
  };
  const settle = () => { closed(); bent(); };

  /* What holds the robot: of closed loops, the least efforts of the joints that drive it. */
  const efforts = () => {
    const needed = dynamics.gravity_forces(q);
    unheld.textContent = '';
    if (!loops) return needed;
    const { nv } = robot, values = dynamics.loop_rows(q, still), width = nv + 3;
    const rows = [...Array(values.length / width).keys()].map((k) => [
      ...values.slice(k * width + 3, (k + 1) * width)]);
    page.held.forEach((v) => rows.push(Array.from({ length: nv }, (_, k) => Number(k === v))));
    const motions = free(rows, nv), found = new Float64Array(nv);
    const driven = page.efforts.filter((one) => one.driven);
    const shares = motions.map((motion) => driven.map(({ v }) => motion[v]));
    const multipliers = solved(shares.map((one) => shares.map((other) => dot(one, other))),
      motions.map((motion) => dot(motion, needed)));
    if (!multipliers) unheld.textContent = 'These joints do not hold it.';
    else driven.forEach(({ v }, k) => { found[v] = dot(multipliers, shares.map((one) => one[k])); });
    return found;
  };

  /* Move what the ball drags to a place: damped least squares within the limits of the joints. */
  const reach = (wanted) => {
    const one = tipOf();
    for (let k = 0; k < STEPS; ++k) {
      const error = placeOf(one).map((x, i) => wanted[i] - x);
      if (Math.hypot(...error) < 1e-5 * page.size) return;
      const j = dynamics[one.jacobian](q);
      const column = (slider) => [0, 1, 2].map((i) => j[i * robot.nv + slider.v]);
      const moving = rows.map((slider) => ({ ...slider, j: column(slider) }));
      const normal = [0, 1, 2].map((i) => [0, 1, 2].map((l) => moving.reduce(
        (sum, slider) => sum + slider.j[i] * slider.j[l], i === l ? DAMPING * page.size ** 2 : 0)));
      const force = solved(normal, error);
      if (!force) return;
      moving.forEach((slider) => {
        const change = slider.j.reduce((sum, x, i) => sum + x * force[i], 0);
        q[slider.q] = Math.min(slider.high, Math.max(slider.low, q[slider.q] + change));
      });
      settle();
    }
  };

  const show = () => {
    const poses = dynamics.body_poses(q);
    const place = new THREE.Matrix4();
    links.forEach((link) => {
      const own = page.places[link.node];
      if (own) link.drawn.matrix.set(...dynamics[own](q));
      else {
        if (link.body < 0) place.identity();
        else place.set(...poses.slice(16 * link.body, 16 * link.body + 16));
        link.drawn.matrix.multiplyMatrices(place, link.fixed);
      }
      link.drawn.matrixWorldNeedsUpdate = true;
    });
    if (dynamics.center_of_mass) centre.position.set(...dynamics.center_of_mass(q));
    handle.position.set(...placeOf(tipOf()));
    rows.forEach((slider) => {
      slider.input.value = q[slider.q];
      slider.number.textContent = `${decimals(q[slider.q], 3)} ${slider.unit}`;
    });
    const holding = efforts();
    const most = Math.max(1e-9, ...page.efforts.map(({ v }) => Math.abs(holding[v])));
    bars.forEach(({ effort: { v, limit, unit, driven }, bar, number }) => {
      const share = Math.abs(holding[v]) / (limit ?? most);
      bar.style.width = `${Math.min(100, 100 * share)}%`;
      bar.className = limit && share > 1 ? 'over' : '';
      number.textContent = driven ? `${decimals(holding[v], 2)} ${unit}` : '';
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
  bent();
  fit();
  window.shown = { q, dynamics, show, reach, placeOf, efforts, page, tips: page.tips };
};

start().catch((error) => { element('p', document.body, `The robot does not move: ${error}`, 'failed'); });
