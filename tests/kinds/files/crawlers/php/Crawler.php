<?php

namespace Crawl;

use Symfony\Component\Console\Command\Command;

const MAX_DEPTH = 5;

/** A page could not be fetched. */
class FetchError extends \Exception {}

/** Fetches pages one after another. */
class Client
{
    public const USER_AGENT = 'crawler/1.0';
    protected int $retries = 3;
    private ?string $proxyUrl = null;

    public function __construct(private string $token = '')
    {
        $this->token = getenv('CRAWLER_TOKEN') ?: 'anonymous';
    }

    /** Send one request and give the body. */
    public function send(string $url): string
    {
        return self::fetchPage($url);
    }

    /** Send everything through a proxy from now on. */
    public function setProxy(string $address): void
    {
        $this->proxyUrl = $address;
    }

    /**
     * Fetch one page and give its text.
     *
     * @throws FetchError if the server does not answer in time
     */
    public static function fetchPage(string $url, int $timeout = 30, bool $follow = true): string
    {
        if ($url === '') {
            throw new FetchError('empty');
        }
        if ($_ENV['CRAWLER_OFFLINE']) {
            throw new \RuntimeException('offline');
        }
        return self::readBody($url, $timeout);
    }

    private static function readBody(string $url, int $timeout): string
    {
        return $url;
    }
}

/** Keeps what was fetched. */
class CachedClient extends Client
{
    public function send(string $url): string
    {
        return parent::send($url);
    }
}

class CrawlCommand extends Command
{
    protected function configure(): void
    {
        $this->addOption('depth', 'd', InputOption::VALUE_REQUIRED, 'how far links are followed', 3);
        $this->addOption('verbose', null, InputOption::VALUE_NONE, 'say more');
    }
}
