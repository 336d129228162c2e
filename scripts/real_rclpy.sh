#!/usr/bin/env bash
# A virtual environment with a real rclpy (Fast DDS) from PyPI and our nodes, without rosless:
#   scripts/real_rclpy.sh FOLDER [PYTHON [DISTRO]]      DISTRO: kilted or jazzy
# docs/real_rclpy.md says what for, what comes from where, and what was seen. Needs gcc and cmake.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bare=$root/rosless/src
bare_tools=$root/rosless/tools/src
distro=${3:-kilted}
case $distro in
  kilted) unasked=(ament-cmake-ros-core) ;;
  jazzy) unasked=(ament-cmake-ros ament-cmake-{gmock,gtest,pytest} python-cmake-module) ;;
  *) echo "PyPI has kilted and jazzy, not $distro." >&2; exit 1 ;;
esac
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
unset PYTHONPATH LD_LIBRARY_PATH

"$root/scripts/make_venv.sh" "${2:-python3}" "$prefix"
pip=("$prefix/bin/python" -m pip install --quiet --disable-pip-version-check)

# A wheel ros-DISTRO-NAME has nothing but the version of ros-NAME that belongs to the distribution.
echo "installing rclpy of $distro, message packages and what generates and builds others ..."
packages=(rclpy rmw-fastrtps-cpp sensor-msgs std-srvs geometry-msgs visualization-msgs
  trajectory-msgs nav-msgs diagnostic-msgs)
# Those after ament-cmake are wanted by wheels that do not ask for them.
tools=(rosidl-default-generators ament-cmake ament-package ament-cmake-include-directories
  rosidl-core-generators "${unasked[@]}")
"${pip[@]}" 'setuptools>=70.1,<80' catkin_pkg pytest hypothesis \
  "${packages[@]/#/ros-$distro-}" "${tools[@]/#/ros-$distro-}"

# CMake files of the wheels name folders of the machine on which they were made.
include=$("$prefix/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
numpy=$("$prefix/bin/python" -c 'import numpy; print(numpy.get_include())')
sed -E -i "s#/opt/python/[^;\"]*/site-packages/numpy/[a-z_/]*include#$numpy#
  s#/opt/python/[^;\"]*/include/python3[.0-9]*#$include#" \
  "$prefix"/share/*/cmake/*rosidl_generator_pyExport.cmake

cat > "$prefix/ros.sh" <<END
unset PYTHONPATH
export AMENT_PREFIX_PATH='$prefix' LD_LIBRARY_PATH='$prefix/lib' PATH='$prefix/bin':"\$PATH"
export ROS_AUTOMATIC_DISCOVERY_RANGE="\${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
END
. "$prefix/ros.sh"

build() {  # build SOURCE NAME: what colcon does with a package of ament_cmake
  echo "building $2 ..."
  cmake -S "$1" -B "$prefix/build/$2" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_TESTING=OFF > "$prefix/build/$2.log"
  cmake --build "$prefix/build/$2" --parallel >> "$prefix/build/$2.log"
  cmake --install "$prefix/build/$2" >> "$prefix/build/$2.log"
}

generate() {  # generate NAME "DEPENDENCIES" FILE...: a package of definitions that rosless carries
  local name=$1 depends=$2 file source=$prefix/build/src/$1
  shift 2
  for file in "$@"; do
    install -D -m 644 "$bare/rosless/share/$name/$file" "$source/$file"
  done
  cat > "$source/package.xml" <<END
<package format="3">
  <name>$name</name> <version>0.0.0</version> <description>$name</description>
  <maintainer email="mbd-ros@example.org">mbd_ros</maintainer> <license>BSD</license>
  $(printf '<depend>%s</depend>' $depends)
  <member_of_group>rosidl_interface_packages</member_of_group>
</package>
END
  cat > "$source/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project($name)
foreach(package ament_cmake rosidl_default_generators $depends)
  find_package(\${package} REQUIRED)
endforeach()
rosidl_generate_interfaces($name $* DEPENDENCIES $depends)
ament_package()
END
  build "$source" "$name"
}

mkdir -p "$prefix/build"
generate tf2_msgs 'action_msgs builtin_interfaces geometry_msgs' \
  msg/TFMessage.msg msg/TF2Error.msg srv/FrameGraph.srv action/LookupTransform.action
generate control_msgs \
  'action_msgs builtin_interfaces geometry_msgs sensor_msgs std_msgs trajectory_msgs' \
  action/FollowJointTrajectory.action srv/QueryTrajectoryState.srv \
  msg/JointTolerance.msg msg/JointComponentTolerance.msg msg/JointTrajectoryControllerState.msg
build "$root/interfaces/mbd_msgs" mbd_msgs

# Not on PyPI: pure Python over rclpy's public API, so those of rosless do, without rosless itself.
site=$("$prefix/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
for package in launch launch_ros launch_xml launch_yaml robot_state_publisher ros2cli \
  rosidl_runtime_py rosless_tools tf2_ros; do
  rm -rf "${site:?}/$package"
  cp -r "$bare_tools/$package" "$site/$package"
  sed -i '/^import rosless/d' "$site/$package/__init__.py"
done

echo 'installing mbd_ros ...'
"${pip[@]}" 'llvmlite>=0.45' 'lxml>=4.9' 'scipy>=1.10' 'transforms3d>=0.4' \
  'trimesh>=4' 'viser>=1.1' 'yourdfpy>=0.0.56' xacro
"${pip[@]}" --no-deps --use-pep517 --no-build-isolation "$root"
script() {  # script FILE MODULE [FUNCTION]: a program that calls main() of a module, or another
  printf '#!%s\nimport sys\nfrom %s import %s as main\nsys.exit(main())\n' \
    "$prefix/bin/python" "$2" "${3:-main}" > "$1"
  chmod +x "$1"
}
mkdir -p "$prefix/lib/mbd_ros" "$prefix/lib/robot_state_publisher"
for name in composed controller dynamics_server gait module_manager simulator viewer; do
  script "$prefix/lib/mbd_ros/$name" mbd_ros.nodes.executables "$name"
done
script "$prefix/lib/robot_state_publisher/robot_state_publisher" robot_state_publisher.__main__
script "$prefix/bin/ros2" ros2cli.cli
touch "$prefix/share/ament_index/resource_index/packages/robot_state_publisher"

"$prefix/bin/python" -c 'import rclpy, mbd_ros.nodes.controller, mbd_ros.nodes.simulator
print("rclpy is", rclpy.__file__)'
echo "Next: . $prefix/ros.sh; pytest test/nodes"
