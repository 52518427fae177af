#include <cstdlib>
#include <stdexcept>
#include <string>
#include <CLI/CLI.hpp>

namespace crawl {

constexpr int MAX_DEPTH = 5;

/// A page could not be fetched.
class FetchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Fetch one page and give its text.
std::string fetch_page(const std::string& url, int timeout = 30, bool follow = true) {
  if (url.empty()) throw FetchError("empty");
  if (std::getenv("CRAWLER_OFFLINE")) {
    throw std::logic_error("offline");
  }
  return read_body(url, timeout);
}

/// Fetches pages one after another.
class Client {
 public:
  /// Send one request and give the body.
  virtual std::string send(const std::string& url) { return fetch_page(url); }

  /// Send everything through a proxy from now on.
  void set_proxy(const std::string& address) { proxy_url_ = address; this->tries = 0; }

 private:
  std::string proxy_url_;
  int retries_ = 3;
  int tries = 0;
  const char* token_ = std::getenv("CRAWLER_TOKEN");
};

/// Keeps what was fetched.
class CachedClient : public Client {
 public:
  std::string send(const std::string& url) override { return Client::send(url); }
};

}  // namespace crawl

int main(int argc, char** argv) {
  CLI::App app{"crawler"};
  int depth = 3;
  app.add_option("-d,--depth", depth, "how far links are followed");
  app.add_flag("--verbose", "say more");
  return 0;
}
