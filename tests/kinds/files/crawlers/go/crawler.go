// Package crawler fetches pages.
package crawler

import (
	"errors"
	"flag"
	"os"
)

// MaxDepth is how deep the crawler ever goes.
const MaxDepth = 5

// ErrFetch says that a page could not be fetched.
var ErrFetch = errors.New("cannot fetch")

var depth = flag.Int("depth", 3, "how far links are followed")

func init() {
	flag.BoolVar(&verbose, "verbose", false, "say more")
}

var verbose bool

// Sender sends requests.
type Sender interface {
	Send(url string) (string, error)
}

// Client fetches pages one after another.
type Client struct {
	UserAgent string
	proxyURL  string
	token     string
}

// CachedClient keeps what was fetched.
type CachedClient struct {
	Client
}

// NewClient makes a client with the token of the environment.
func NewClient() *Client {
	c := &Client{UserAgent: "crawler/1.0"}
	c.token = os.Getenv("CRAWLER_TOKEN")
	return c
}

// Send sends one request and gives the body.
func (c *Client) Send(url string) (string, error) {
	return FetchPage(url, 30)
}

// SetProxy sends everything through a proxy from now on.
func (c *Client) SetProxy(address string) {
	c.proxyURL = address
}

// Send gives what was fetched before.
func (c *CachedClient) Send(url string) (string, error) {
	return c.Client.Send(url)
}

// FetchPage fetches one page and gives its text.
func FetchPage(url string, timeout int) (string, error) {
	if url == "" {
		return "", ErrFetch
	}
	if _, off := os.LookupEnv("CRAWLER_OFFLINE"); off {
		panic("offline")
	}
	return readBody(url, timeout), nil
}

func readBody(url string, timeout int) string {
	return url
}
