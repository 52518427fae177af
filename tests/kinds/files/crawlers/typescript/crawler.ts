import { program } from 'commander';

export const MAX_DEPTH: number = 5;

/** A page could not be fetched. */
export class FetchError extends Error {}

export interface Sender {
  send(url: string): string;
}

/** Fetches pages one after another. */
export class Client implements Sender {
  readonly userAgent: string = 'crawler/1.0';
  private retries = 3;
  proxyUrl?: string;

  constructor(private token: string = process.env.CRAWLER_TOKEN ?? 'anonymous') {}

  /** Send one request and give the body. */
  send(url: string): string {
    return fetchPage(url);
  }

  /** Send everything through a proxy from now on. */
  setProxy(address: string): void {
    this.proxyUrl = address;
  }
}

/** Keeps what was fetched. */
export class CachedClient extends Client {
  send(url: string): string {
    return super.send(url);
  }
}

/** Fetch one page and give its text. */
export function fetchPage(url: string, timeout: number = 30, follow?: boolean): string {
  if (!url) throw new FetchError(url);
  if (process.env['CRAWLER_OFFLINE']) throw new RangeError('offline');
  return readBody(url, timeout);
}

function readBody(url: string, timeout: number): string {
  return url;
}

program
  .option('-d, --depth <n>', 'how far links are followed', '3')
  .option('--verbose', 'say more');
