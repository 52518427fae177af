-- Pages that were fetched.
CREATE TABLE pages (
    id integer PRIMARY KEY,
    url text NOT NULL,
    status text DEFAULT 'new',
    retries integer DEFAULT 3
);

CREATE TABLE links (
    page_id integer REFERENCES pages (id),
    target text
);

-- Fetch one page and give its text.
CREATE FUNCTION fetch_page(address text, timeout integer DEFAULT 30) RETURNS text AS $$
BEGIN
    IF address = '' THEN
        RAISE EXCEPTION 'empty address';
    END IF;
    RETURN read_body(address);
END;
$$ LANGUAGE plpgsql;

-- Send one request with the usual timeout.
CREATE FUNCTION send_request(address text) RETURNS text AS $$
    SELECT fetch_page(address, current_setting('crawler.timeout')::integer);
$$ LANGUAGE sql;

CREATE VIEW open_pages AS SELECT * FROM pages WHERE status = 'new';

UPDATE pages SET status = 'done' WHERE id = 1;
