package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"acpshim/internal/run/logging"
	"acpshim/internal/run/serve"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/state"
	"acpshim/proxy"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/netutil"
)

// A serveFlags holds the flags of "acpshim serve" alone.
type serveFlags struct {
	address, cert, key string
	plain              bool
}

func newServe() *cobra.Command {
	var f flags
	var at serveFlags
	c := &cobra.Command{
		Use:     "serve [flags] -- COMMAND [ARG...]",
		Example: "acpshim serve -- codex-acp",
		Long: `Serve an agent over WebSocket and streamable HTTP at /acp, to clients that have
the token. Each connection starts an agent of its own with "acpshim [flags] --
COMMAND". By default it listens on 127.0.0.1 and a free port, so only this
machine can connect. It prints the URL and the file that has the token. SIGTERM
or Ctrl-C stops the server and all agents, and so does closing the terminal. The
flags of a run (acpshim -h) work, too.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && f.start == "" {
				return wrongArguments(c, "want the command of an agent")
			}
			return serveAgent(f, at, runFlags(c), args)
		},
	}
	c.Flags().SetInterspersed(false)
	addOnce(c, &at.address, "listen", "an address", "listen on `HOST:PORT` (default 127.0.0.1:0)")
	addOnce(c, &at.cert, "cert", "a file", "read the TLS certificate and its chain from `FILE`")
	addOnce(c, &at.key, "key", "a file", "read the key of the certificate from `FILE`")
	c.Flags().BoolVar(&at.plain, "plain", false, "let other machines connect without TLS")
	f.addStart(c)
	f.addRunHidden(c)
	return c
}

// runFlags returns the given flags of a run as arguments.
func runFlags(c *cobra.Command) (args []string) {
	own := map[string]bool{"listen": true, "cert": true, "key": true, "plain": true}
	c.Flags().Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			if !own[flag.Name] {
				args = append(args, "--"+flag.Name+"="+value)
			}
		}
	})
	return args
}

// serveAgent serves an agent until a signal ends it.
func serveAgent(f flags, at serveFlags, flags, command []string) error {
	const notServed = ", nothing is served"
	if f.readsStdin() {
		return &exit{exitUsage, fmt.Errorf("--config %s: each agent would read it", f.config), "name a file"}
	}
	c, err := f.load()
	if err != nil {
		return badConfig(err, notServed)
	}
	agent, err := f.chosen(c, command)
	if err != nil {
		return err
	}
	logFile, err := openLog(c)
	if err != nil {
		return err
	}
	log, closeLog := logging.New(c, logFile, os.Stderr, nil)
	defer closeLog()
	listener, certificate, err := at.listen()
	if err != nil {
		return &exit{1, fmt.Errorf("serve: %w", err), ""}
	}
	defer listener.Close()
	if _, err := exec.LookPath(agent.Command[0]); err != nil && agent.Cwd == "" {
		return cannotStart(agent.Command, err)
	}
	token, path, err := tokenOf(c)
	if err != nil {
		return &exit{1, fmt.Errorf("serve: the token: %w", err), ""}
	}
	self, err := os.Executable()
	if err != nil {
		return &exit{exitFailure, err, ""}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(serve.MaxWaiting + 64<<20) // or the heap grows to twice the waiting bytes
	}
	o := serve.Options{
		Agent: proxy.Options{
			Command: append(append([]string{self}, flags...), append([]string{"--"}, command...)...),
			Stderr:  os.Stderr,
			// The acpshim that runs the agent ends it first.
			InputGrace: c.Shutdown.InputGrace,
			TermGrace:  c.Shutdown.TermGrace + c.Shutdown.Drain + time.Second,
			HurryGrace: 3 * time.Second, // the run has a second to kill its agent
			Drain:      c.Shutdown.Drain,
		},
		Token: token, Origins: c.Serve.Origins, Hosts: c.Serve.Hosts,
		Connections: c.Serve.Connections, Idle: c.Serve.Idle, Log: log,
	}
	names := c.Serve.Hosts
	if certificate != nil {
		o.HasName = func(name string) bool { return certificate.Leaf.VerifyHostname(name) == nil }
		names = slices.Concat(names, slices.DeleteFunc(slices.Clone(certificate.Leaf.DNSNames), isWildcard))
	}
	at.announce(agent, listener, certificate != nil, path, names)
	return serveOn(listener, certificate, serve.New(o), log)
}

func isWildcard(name string) bool { return strings.HasPrefix(name, "*") }

// serveOn serves until a signal comes.
func serveOn(listener net.Listener, certificate *tls.Certificate, s *serve.Server, log zerolog.Logger) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, proxy.EndSignals()...)
	h := s.HTTP()
	defer h.Close()
	failed := make(chan error, 1)
	go func() {
		if certificate == nil {
			failed <- h.Serve(listener)
		} else {
			h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
			failed <- h.ServeTLS(listener, "", "")
		}
	}()
	select {
	case err := <-failed:
		s.Stop()
		s.Wait()
		return &exit{exitFailure, fmt.Errorf("serve: %w", err), ""}
	case <-signals:
	}
	log.Info().Msg("the server stops, and so do all agents")
	listener.Close()
	s.Stop()
	ended := make(chan struct{})
	go func() {
		s.Wait()
		close(ended)
	}()
	for {
		select {
		case <-signals:
			s.Stop()
		case <-ended:
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			h.Shutdown(ctx) // closes the rest
			return nil
		}
	}
}

// maxSockets bounds the open sockets. Over HTTP/1.1 each stream has one.
const maxSockets = 4_096

// listen returns the listener, and the certificate or nil.
func (at serveFlags) listen() (net.Listener, *tls.Certificate, error) {
	var certificate *tls.Certificate
	if (at.cert == "") != (at.key == "") {
		return nil, nil, errors.New("want both --cert and --key, or neither")
	}
	if at.cert != "" {
		pair, err := tls.LoadX509KeyPair(at.cert, at.key)
		if err != nil {
			return nil, nil, fmt.Errorf("--cert and --key: %w", err)
		}
		certificate = &pair
	}
	address := cmp.Or(at.address, "127.0.0.1:0")
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, nil, fmt.Errorf("--listen: want HOST:PORT such as 127.0.0.1:8080, not %q", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	if own, ok := l.Addr().(*net.TCPAddr); certificate == nil && !at.plain && (!ok || !own.IP.IsLoopback()) {
		l.Close()
		return nil, nil, fmt.Errorf("--listen %s: other machines can connect there, so add --cert and --key; --plain allows it without TLS, and others on the network can read everything", address)
	}
	return netutil.LimitListener(l, maxSockets), certificate, nil
}

// tokenOf returns the token, and the path of its file.
func tokenOf(c config.Config) (token, path string, err error) {
	if path = c.Serve.TokenFile; path != "" {
		token, err = state.Token(filepath.Dir(path), filepath.Dir(path), filepath.Base(path))
		return token, path, err
	}
	base, err := state.Folder()
	if err != nil {
		return "", "", err
	}
	dir := filepath.Join(base, "acpshim")
	token, err = state.Token(base, dir, "serve.token")
	return token, filepath.Join(dir, "serve.token"), err
}

// announce prints where the agent is served, and where the token is. A listener on all addresses
// has the first of the names, or the name of this machine.
func (at serveFlags) announce(agent config.Agent, l net.Listener, isTLS bool, tokenFile string, names []string) {
	scheme, host := "ws", l.Addr().String()
	if isTLS {
		scheme = "wss"
	}
	if own, ok := l.Addr().(*net.TCPAddr); ok && own.IP.IsUnspecified() {
		name, _ := os.Hostname()
		if len(names) > 0 {
			name = names[0]
		}
		host = net.JoinHostPort(name, strconv.Itoa(own.Port))
	}
	url := scheme + "://" + host + "/acp"
	note(fmt.Sprintf("serving %s at %s and %s", agent.Command[0], url, strings.Replace(url, "ws", "http", 1)))
	note("the token is in " + tokenFile)
	note(fmt.Sprintf("to connect: ACPSHIM_CONNECT_TOKEN=$(cat %s) acpshim connect %s", tokenFile, url))
}
