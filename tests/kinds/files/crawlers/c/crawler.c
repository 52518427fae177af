#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include "crawler.h"

#define MAX_DEPTH 5
static const int retries = 3;

static struct option long_options[] = {
    {"depth", required_argument, 0, 'd'},
    {"verbose", no_argument, 0, 'v'},
    {0, 0, 0, 0}
};

/* Fetches pages one after another. */
struct client {
    const char *user_agent;
    const char *proxy_url;
};

static char *read_body(const char *url, int timeout)
{
    return (char *)url;
}

/* Fetch one page and give its text. */
char *fetch_page(const char *url, int timeout)
{
    if (!url) {
        errno = EINVAL;
        return NULL;
    }
    if (getenv("CRAWLER_OFFLINE"))
        abort();
    return read_body(url, timeout);
}

/* Send one request with the usual timeout. */
char *send_request(struct client *c, const char *url)
{
    return fetch_page(url, 30);
}

/* Send everything through a proxy from now on. */
void set_proxy(struct client *c, const char *address)
{
    c->proxy_url = address;
}

int main(int argc, char **argv)
{
    const char *token = getenv("CRAWLER_TOKEN");
    return getopt_long(argc, argv, "d:v", long_options, NULL);
}
