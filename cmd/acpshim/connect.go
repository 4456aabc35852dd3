package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"acpshim/internal/run/remote"
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

// A connectFlags holds the flags of "acpshim connect".
type connectFlags struct {
	transport, headerFile, ca string
	headers                   []string
}

// tokenVariable is the environment variable with a bearer token.
const tokenVariable = "ACPSHIM_CONNECT_TOKEN"

func newConnect() *cobra.Command {
	var f flags
	var to connectFlags
	c := &cobra.Command{
		Use:     "connect [flags] URL",
		Example: "acpshim connect wss://agents.example.org/acp",
		Long: `Use an agent on another machine: an editor starts this command instead of the
agent. ws:// and wss:// URLs mean WebSocket, http:// and https:// mean
streamable HTTP. Set ` + tokenVariable + ` to the bearer token, if the server
needs one. The exit status is 1 if the connection fails. The flags of a run
(acpshim -h) work, too.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			u, err := to.url(c, args)
			if err != nil {
				return err
			}
			o, err := to.options(u)
			if err != nil {
				return &exit{exitUsage, fmt.Errorf("connect: %w", err), ""}
			}
			return run(f, func(c config.Config) (target, error) {
				o.Reconnect = c.Connect.Reconnect
				var warned sync.Once
				return target{Agent: config.Agent{Command: []string{"connect", remote.Shown(u)}}, connect: func(log zerolog.Logger) *remote.Agent {
					o.Log = log
					warned.Do(func() {
						for _, text := range to.warnings(o) {
							log.Warn().Msg(text)
						}
					})
					return remote.Connect(o)
				}}, nil
			})
		},
	}
	to.add(c)
	f.addRunHidden(c)
	return c
}

func (to *connectFlags) add(c *cobra.Command) {
	addChoice(c, &to.transport, "transport", "use the transport `NAME`: websocket or http", "websocket", "http")
	addOnce(c, &to.headerFile, "header-file", "a file", "send the headers in `FILE`, such as \"Name: ${VAR}\"")
	c.Flags().StringArrayVar(&to.headers, "header", nil, "send the header `LINE`; ps shows it to other users")
	addOnce(c, &to.ca, "ca", "a file", "also trust the certificates in `FILE`")
}

// isSet reports whether any of the flags was given.
func (to connectFlags) isSet() bool {
	return to.transport+to.headerFile+to.ca != "" || to.headers != nil
}

// asURL reads a text as a URL with a scheme and a host.
func asURL(text string) (u *url.URL, ok bool) {
	u, err := url.Parse(text)
	return u, err == nil && u.Scheme != "" && u.Host != ""
}

// url returns the URL of the command line. Its errors do not repeat the URL, which may hold
// secrets.
func (to connectFlags) url(c *cobra.Command, args []string) (*url.URL, error) {
	if len(args) != 1 {
		return nil, wrongArguments(c, "want one URL, not %d arguments", len(args))
	}
	u, isURL := asURL(args[0])
	if !isURL {
		return nil, wrongArguments(c, "want a URL such as wss://example.org/acp, with a scheme and a host")
	}
	schemes := map[string][2]string{ // for WebSocket and for HTTP
		"ws": {"ws", "http"}, "wss": {"wss", "https"}, "http": {"ws", "http"}, "https": {"wss", "https"},
	}
	of, ok := schemes[u.Scheme]
	switch {
	case !ok:
		return nil, wrongArguments(c, "want a URL that begins with ws, wss, http or https, not %q", u.Scheme)
	case to.transport == "websocket":
		u.Scheme = of[0]
	case to.transport == "http":
		u.Scheme = of[1]
	}
	return u, nil
}

// options returns the options of the connection. It removes the token from the environment, because
// commands of the agent would inherit it.
func (to connectFlags) options(u *url.URL) (remote.Options, error) {
	o := remote.Options{URL: u, HTTP: strings.HasPrefix(u.Scheme, "http"), Header: http.Header{}}
	token := strings.TrimSpace(os.Getenv(tokenVariable))
	if to.headerFile != "" {
		text, err := os.ReadFile(to.headerFile)
		if err != nil {
			return o, fmt.Errorf("--header-file: %w", err)
		}
		if err := remote.AddHeaders(o.Header, string(text), os.LookupEnv); err != nil {
			return o, fmt.Errorf("--header-file %s: %w", to.headerFile, err)
		}
	}
	for _, line := range to.headers {
		if err := remote.AddHeaders(o.Header, line, os.LookupEnv); err != nil {
			return o, fmt.Errorf("--header: %w", err)
		}
	}
	os.Unsetenv(tokenVariable)
	if err := remote.SetToken(o.Header, token); err != nil {
		return o, fmt.Errorf("%s: %w", tokenVariable, err)
	}
	if to.ca == "" {
		return o, nil
	}
	pem, err := os.ReadFile(to.ca)
	if err != nil {
		return o, fmt.Errorf("--ca: %w", err)
	}
	if o.Roots, err = x509.SystemCertPool(); err != nil {
		o.Roots = x509.NewCertPool()
	}
	if !o.Roots.AppendCertsFromPEM(pem) {
		return o, fmt.Errorf("--ca %s: the file has no certificate in PEM format", to.ca)
	}
	return o, nil
}

// warnings returns how others could read secrets.
func (to connectFlags) warnings(o remote.Options) (texts []string) {
	if len(to.headers) > 0 {
		texts = append(texts, "--header: other users of this machine can read arguments; use --header-file for secrets")
	}
	isClear := o.URL.Scheme == "ws" || o.URL.Scheme == "http"
	host := o.URL.Hostname()
	if ip := net.ParseIP(host); isClear && len(o.Header) > 0 && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		texts = append(texts, "the connection is not encrypted, so others on the network can read the token and all messages; use wss:// or https://")
	}
	return texts
}

// endOfConnection returns the exit for the end of a connection, or nil if one side wanted the end.
func endOfConnection(end *remote.End, log zerolog.Logger) error {
	if !end.IsFailure() {
		log.Info().Msg(end.Text)
		return nil
	}
	return &exit{1, errors.New(end.Text), end.Hint}
}
