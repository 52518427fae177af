//! A small crawler.

use std::env;

/// How deep the crawler ever goes.
pub const MAX_DEPTH: u32 = 5;

/// What went wrong.
#[derive(Debug)]
pub enum FetchError {
    Empty,
    Offline,
}

/// Options of the command.
#[derive(clap::Parser)]
pub struct Options {
    /// How far links are followed
    #[arg(short, long, default_value_t = 3)]
    depth: u32,
    /// Say more
    #[arg(long)]
    verbose: bool,
}

/// Sends requests.
pub trait Sender {
    fn send(&self, url: &str) -> Result<String, FetchError>;

    fn retries(&self) -> u32 {
        3
    }
}

/// Fetches pages one after another.
pub struct Client {
    pub token: String,
    proxy_url: String,
}

impl Client {
    /// Make a client with the token of the environment.
    pub fn new() -> Self {
        let token = env::var("CRAWLER_TOKEN").unwrap_or("anonymous".to_string());
        Client { token, proxy_url: String::new() }
    }

    /// Send everything through a proxy from now on.
    pub fn set_proxy(&mut self, address: &str) {
        self.proxy_url = address.to_string();
    }
}

impl Sender for Client {
    /// Send one request and give the body.
    fn send(&self, url: &str) -> Result<String, FetchError> {
        fetch_page(url, 30)
    }
}

/// Fetch one page and give its text.
pub fn fetch_page(url: &str, timeout: u32) -> Result<String, FetchError> {
    if url.is_empty() {
        return Err(FetchError::Empty);
    }
    if std::env::var_os("CRAWLER_OFFLINE").is_some() {
        panic!("offline");
    }
    Ok(read_body(url, timeout))
}

fn read_body(url: &str, timeout: u32) -> String {
    url.to_string()
}
