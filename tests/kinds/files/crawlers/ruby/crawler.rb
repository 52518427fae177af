require 'optparse'

module Crawl
  MAX_DEPTH = 5

  # A page could not be fetched.
  class FetchError < StandardError; end

  # Fetches pages one after another.
  class Client
    USER_AGENT = 'crawler/1.0'
    attr_reader :token

    def initialize(token = nil)
      @token = token || ENV.fetch('CRAWLER_TOKEN', 'anonymous')
    end

    # Send one request and give the body.
    def transmit(url)
      fetch_page(url)
    end

    # Send everything through a proxy from now on.
    def set_proxy(address)
      @proxy_url = address
    end

    # Fetch one page and give its text.
    #
    # @return [String] the text of the page
    def fetch_page(url, timeout = 30, follow: true)
      raise FetchError, 'empty' if url.nil?
      raise ArgumentError, 'offline' if ENV['CRAWLER_OFFLINE']
      read_body(url, timeout)
    end

    private

    def read_body(url, timeout)
      url
    end
  end

  # Keeps what was fetched.
  class CachedClient < Client
    def transmit(url)
      super
    end
  end
end

OptionParser.new do |opts|
  opts.on('-d', '--depth N', Integer, 'how far links are followed')
  opts.on('--verbose', 'say more')
end
