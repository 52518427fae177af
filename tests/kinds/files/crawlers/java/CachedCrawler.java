package org.crawl;

/** Keeps what was fetched. */
public class CachedCrawler extends Crawler {
    @Override
    public String send(String url) throws FetchError {
        return super.send(url);
    }
}
