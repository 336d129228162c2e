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

// The names of rclcpp that the C++ program of docs/tutorials/services.md uses, over rcl.
//
// It is not rclcpp, of which there is none on PyPI: a stand-in with the same signatures (Humble and
// newer), so that the program is compiled and run. It has clients of services only, asks for
// responses every 10 ms, and makes a std::runtime_error of every error of rcl.

#ifndef RCLCPP__RCLCPP_HPP_
#define RCLCPP__RCLCPP_HPP_

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rcl/error_handling.h"
#include "rcl/graph.h"
#include "rcl/rcl.h"
#include "rcutils/logging_macros.h"
#include "rosidl_typesupport_cpp/service_type_support.hpp"

#define RCLCPP_INFO(logger, ...) RCUTILS_LOG_INFO_NAMED((logger).get_name(), __VA_ARGS__)
#define RCLCPP_ERROR(logger, ...) RCUTILS_LOG_ERROR_NAMED((logger).get_name(), __VA_ARGS__)

namespace rclcpp
{

enum class FutureReturnCode { SUCCESS, INTERRUPTED, TIMEOUT };

namespace standin
{

inline void check(rcl_ret_t code)
{
  if (code != RCL_RET_OK) {
    const std::string words = rcl_get_error_string().str;
    rcl_reset_error();
    throw std::runtime_error(words);
  }
}

/// Say what an end did not succeed in, for destructors must not throw.
inline void report(rcl_ret_t code)
{
  if (code != RCL_RET_OK) {
    RCUTILS_LOG_ERROR_NAMED("rclcpp_standin", "%s", rcl_get_error_string().str);
    rcl_reset_error();
  }
}

struct Context
{
  rcl_context_t handle = rcl_get_zero_initialized_context();

  ~Context()
  {
    if (rcl_context_is_valid(&handle)) {
      report(rcl_shutdown(&handle));
    }
    report(rcl_context_fini(&handle));
  }
};

inline rcl_context_t * context()
{
  static Context one;
  return &one.handle;
}

/// Ask until it is so, for a time at most (for ever if it is negative); return whether it is.
template<typename Rep, typename Ratio>
bool wait_until(const std::function<bool()> & is_so, std::chrono::duration<Rep, Ratio> timeout)
{
  const auto begin = std::chrono::steady_clock::now();
  while (!is_so()) {
    if (!rcl_context_is_valid(context()) ||
      (timeout >= timeout.zero() && std::chrono::steady_clock::now() - begin > timeout))
    {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace standin

inline void init(int argc, char const * const argv[])
{
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  standin::check(rcl_init_options_init(&options, rcl_get_default_allocator()));
  standin::check(rcl_init(argc, argv, &options, standin::context()));
  standin::check(rcl_init_options_fini(&options));
}

inline bool shutdown()
{
  return rcl_shutdown(standin::context()) == RCL_RET_OK;
}

struct Logger
{
  std::string name;

  const char * get_name() const {return name.c_str();}
};

template<typename ServiceT>
class Client
{
public:
  using SharedPtr = std::shared_ptr<Client<ServiceT>>;
  using SharedRequest = typename ServiceT::Request::SharedPtr;
  using SharedResponse = typename ServiceT::Response::SharedPtr;

  struct FutureAndRequestId
  {
    std::future<SharedResponse> future;
    std::int64_t request_id;
  };

  Client(std::shared_ptr<rcl_node_t> node, const std::string & name)
  : node_(std::move(node))
  {
    const rcl_client_options_t options = rcl_client_get_default_options();
    const auto * type = rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>();
    standin::check(rcl_client_init(&handle_, node_.get(), type, name.c_str(), &options));
  }

  Client(const Client &) = delete;

  ~Client() {standin::report(rcl_client_fini(&handle_, node_.get()));}

  template<typename Rep = std::int64_t, typename Ratio = std::milli>
  bool wait_for_service(
    std::chrono::duration<Rep, Ratio> timeout = std::chrono::duration<Rep, Ratio>(-1))
  {
    return standin::wait_until(
      [this] {
        bool there = false;
        standin::check(rcl_service_server_is_available(node_.get(), &handle_, &there));
        return there;
      }, timeout);
  }

  FutureAndRequestId async_send_request(SharedRequest request)
  {
    std::int64_t number = 0;
    standin::check(rcl_send_request(&handle_, request.get(), &number));
    return {waiting_[number].get_future(), number};
  }

  /// Take a response if there is one.
  void take()
  {
    rmw_request_id_t header;
    auto response = std::make_shared<typename ServiceT::Response>();
    const rcl_ret_t code = rcl_take_response(&handle_, &header, response.get());
    if (code != RCL_RET_CLIENT_TAKE_FAILED) {
      standin::check(code);
      waiting_.at(header.sequence_number).set_value(response);
      waiting_.erase(header.sequence_number);
    }
  }

private:
  std::shared_ptr<rcl_node_t> node_;
  rcl_client_t handle_ = rcl_get_zero_initialized_client();
  std::map<std::int64_t, std::promise<SharedResponse>> waiting_;
};

class Node
{
public:
  using SharedPtr = std::shared_ptr<Node>;

  explicit Node(const std::string & name)
  : handle_(new rcl_node_t(rcl_get_zero_initialized_node()), [](rcl_node_t * node) {
        standin::report(rcl_node_fini(node));
        delete node;
      })
  {
    const rcl_node_options_t options = rcl_node_get_default_options();
    standin::check(rcl_node_init(handle_.get(), name.c_str(), "", standin::context(), &options));
  }

  static SharedPtr make_shared(const std::string & name) {return std::make_shared<Node>(name);}

  Logger get_logger() const {return Logger{rcl_node_get_logger_name(handle_.get())};}

  template<typename ServiceT>
  typename Client<ServiceT>::SharedPtr create_client(const std::string & service_name)
  {
    auto client = std::make_shared<Client<ServiceT>>(handle_, service_name);
    takes_.push_back(
      [weak = std::weak_ptr<Client<ServiceT>>(client)] {
        if (auto living = weak.lock()) {
          living->take();
        }
      });
    return client;
  }

  /// Take what has arrived.
  void spin_some() const
  {
    for (const auto & take : takes_) {
      take();
    }
  }

private:
  std::shared_ptr<rcl_node_t> handle_;
  std::vector<std::function<void()>> takes_;
};

template<typename FutureT, typename Rep = std::int64_t, typename Ratio = std::milli>
FutureReturnCode spin_until_future_complete(
  const std::shared_ptr<Node> & node, const FutureT & future,
  std::chrono::duration<Rep, Ratio> timeout = std::chrono::duration<Rep, Ratio>(-1))
{
  const bool complete = standin::wait_until(
    [&] {
      node->spin_some();
      return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }, timeout);
  return complete ? FutureReturnCode::SUCCESS :
         rcl_context_is_valid(standin::context()) ? FutureReturnCode::TIMEOUT :
         FutureReturnCode::INTERRUPTED;
}

}  // namespace rclcpp

#endif  // RCLCPP__RCLCPP_HPP_
