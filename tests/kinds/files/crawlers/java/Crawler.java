package org.crawl;

import picocli.CommandLine.Option;

/** Fetches pages one after another. */
public class Crawler {
    public static final int MAX_DEPTH = 5;
    private String userAgent = "crawler/1.0";
    private int retries = 3;
    private String proxyUrl;

    @Option(names = {"-d", "--depth"}, defaultValue = "3", description = "how far links are followed")
    int depth;

    @Option(names = "--verbose", description = "say more")
    boolean verbose;

    /** A page could not be fetched. */
    public static class FetchError extends Exception {
    }

    /** Send one request and give the body. */
    public String send(String url) throws FetchError {
        return fetchPage(url, 30);
    }

    /** Send everything through a proxy from now on. */
    public void setProxy(String address) {
        this.proxyUrl = address;
    }

    /**
     * Fetch one page and give its text.
     *
     * @param url where it is
     * @return the text of the page
     */
    public static String fetchPage(String url, int timeout) throws FetchError {
        if (url.isEmpty()) {
            throw new FetchError();
        }
        if (System.getenv("CRAWLER_OFFLINE") != null) {
            throw new IllegalStateException("offline");
        }
        String token = System.getenv().getOrDefault("CRAWLER_TOKEN", "anonymous");
        return readBody(url, timeout);
    }

    private static String readBody(String url, int timeout) {
        return url;
    }
}
