using System;
using CommandLine;

namespace Crawl
{
    /// <summary>A page could not be fetched.</summary>
    public class FetchError : Exception { }

    /// <summary>Fetches pages one after another.</summary>
    public class Client
    {
        public const int MaxDepth = 5;
        private int retries = 3;
        public string UserAgent { get; set; } = "crawler/1.0";
        private string proxyUrl;
        private readonly string token = Environment.GetEnvironmentVariable("CRAWLER_TOKEN") ?? "anonymous";

        /// <summary>Send one request and give the body.</summary>
        public virtual string Send(string url)
        {
            return FetchPage(url);
        }

        /// <summary>Send everything through a proxy from now on.</summary>
        public void SetProxy(string address)
        {
            this.proxyUrl = address;
        }

        /// <summary>Fetch one page and give its text.</summary>
        /// <exception cref="FetchError">if the server does not answer</exception>
        public static string FetchPage(string url, int timeout = 30, bool follow = true)
        {
            if (url == null) throw new FetchError();
            if (Environment.GetEnvironmentVariable("CRAWLER_OFFLINE") != null)
                throw new InvalidOperationException("offline");
            return ReadBody(url, timeout);
        }

        private static string ReadBody(string url, int timeout) => url;
    }

    /// <summary>Keeps what was fetched.</summary>
    public class CachedClient : Client
    {
        public override string Send(string url) => base.Send(url);
    }

    class Options
    {
        [Option('d', "depth", Default = 3, HelpText = "how far links are followed")]
        public int Depth { get; set; }

        [Option("verbose", HelpText = "say more")]
        public bool Verbose { get; set; }
    }
}
