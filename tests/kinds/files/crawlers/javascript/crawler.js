'use strict';

const { program } = require('commander');

const MAX_DEPTH = 5;

/** A page could not be fetched. */
class FetchError extends Error {}

/** Fetches pages one after another. */
class Client {
  userAgent = 'crawler/1.0';
  retries = 3;

  constructor(token) {
    this.token = token || process.env.CRAWLER_TOKEN || 'anonymous';
  }

  /** Send one request and give the body. */
  send(url) {
    return fetchPage(url);
  }

  /** Send everything through a proxy from now on. */
  setProxy(address) {
    this.proxyUrl = address;
  }
}

/** Keeps what was fetched. */
class CachedClient extends Client {
  send(url) {
    return super.send(url);
  }
}

/**
 * Fetch one page and give its text.
 *
 * @param {string} url where it is
 * @param {number} timeout seconds
 * @returns {string} the text of the page
 * @throws {FetchError} if the server does not answer in time
 */
function fetchPage(url, timeout = 30, { follow = true } = {}) {
  if (!url) throw new FetchError(url);
  if (process.env['CRAWLER_OFFLINE']) throw new RangeError('offline');
  return readBody(url, timeout);
}

function readBody(url, timeout) {
  return url;
}

program
  .option('-d, --depth <n>', 'how far links are followed', 3)
  .option('--verbose', 'say more');

module.exports = { Client, CachedClient, FetchError, fetchPage };
