#ifndef CRAWLER_H
#define CRAWLER_H

struct client;

/* Fetch one page and give its text. */
char *fetch_page(const char *url, int timeout);
void set_proxy(struct client *c, const char *address);

#endif
