//go:build unix

package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A traces is a collector and what it got.
type traces struct {
	*httptest.Server
	mu  sync.Mutex
	got string
}

func (c *traces) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path == "/v1/traces" {
		c.got += string(body)
	}
	if r.Header.Get("Authorization") != "Bearer t0ken" {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"message":"who are you?"}`)
	}
}

// text is what it got since it was asked last.
func (c *traces) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.got
	c.got = ""
	return text
}

// runTraced runs acpshim with one request that the agent answers, and returns its standard error.
func runTraced(t *testing.T, variables []string, flags ...string) string {
	t.Helper()
	s := startWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, variables...) }, append(append([]string{"acpshim"}, flags...),
		"--", "peer", "recv", `send:{"jsonrpc":"2.0","id":7,"result":{}}`, "eof", "exit:3")...)
	s.send(`{"jsonrpc":"2.0","id":7,"method":"_x/secret","params":{"text":"hidden"}}` + "\n")
	s.in.Close()
	s.exits(3)
	return s.stderr.String()
}

// Traces of a run arrive, with headers, over TLS and without a record.
func TestTracesArrive(t *testing.T) {
	t.Parallel()
	starts(t)
	c := &traces{}
	c.Server = httptest.NewTLSServer(c)
	defer c.Close()
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	if err := os.WriteFile(trusted, block, 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	stderr := runTraced(t, []string{"SSL_CERT_FILE=" + trusted, "MINE=authorization=Bearer%20t0ken", "XDG_STATE_HOME=" + state},
		"--set", "telemetry.endpoint="+c.URL, "--set", "telemetry.headers=MINE")
	if got := c.text(); strings.Count(got, `"name":"_x/secret"`) != 1 || strings.Contains(got, "hidden") || stderr != "" {
		t.Errorf("the collector got %s, told is %s", got, stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(state, "acpshim", "records")); len(found) > 0 {
		t.Errorf("a record was kept: %q", found)
	}
}

// What keeps traces from arriving is told, without secrets, and the run is as it would be.
func TestTracesThatDoNotArrive(t *testing.T) {
	t.Parallel()
	starts(t)
	c := &traces{}
	c.Server = httptest.NewServer(c)
	defer c.Close()
	down := httptest.NewServer(c)
	down.Close()
	for _, test := range []struct{ endpoint, headers, said string }{
		{c.URL, "authorization=Bearer%20s3cret", "traces are not sent error=\"the collector responded with 401 Unauthorized: who are you?\""},
		{c.URL, "", "dropped 1 spans"},
		{down.URL, "", "connection refused"},
		{c.URL, "authorization:s3cret", "header 1 of the list: want NAME=VALUE"},
		{"https" + strings.TrimPrefix(c.URL, "http"), "", "HTTP response to HTTPS client"},
	} {
		stderr := runTraced(t, []string{"XDG_STATE_HOME=" + t.TempDir(), "OTEL_EXPORTER_OTLP_HEADERS=" + test.headers}, "--set", "telemetry.endpoint="+test.endpoint)
		if !strings.Contains(stderr, test.said) || strings.Contains(stderr, "s3cret") {
			t.Errorf("%s, %s: told is %s, want %s", test.endpoint, test.headers, stderr, test.said)
		}
	}
}

// The traces of a record are those that were sent while it was made, and can be sent later.
func TestExportedTracesAreThoseThatWereSent(t *testing.T) {
	t.Parallel()
	starts(t)
	c := &traces{}
	c.Server = httptest.NewServer(c)
	defer c.Close()
	variables := []string{"XDG_STATE_HOME=" + t.TempDir(), "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20t0ken"}
	runTraced(t, variables, "--record", "--set", "telemetry.endpoint="+c.URL)
	live := c.text()
	export := func(flags ...string) string {
		e := exec.Command("acpshim", append([]string{"log", "export", "--format", "otlp"}, flags...)...)
		e.Env = append(os.Environ(), variables...)
		out, err := e.CombinedOutput()
		if err != nil {
			return err.Error() + ": " + string(out)
		}
		return string(out)
	}
	if out := export(); out != live+"\n" {
		t.Errorf("exported\n%s, sent\n%s", out, live)
	}
	out := export("--endpoint", c.URL)
	if got := c.text(); out != "" || got != live {
		t.Errorf("printed %s, sent\n%s, want\n%s", out, got, live)
	}
	if out := export("--endpoint", c.URL, "--set", "telemetry.headers="); !strings.HasPrefix(out, "exit status 1") ||
		!strings.Contains(out, "spans that were not accepted: 1 of 1: the collector responded with 401") {
		t.Errorf("refused, it printed %s", out)
	}
	for _, flags := range [][]string{{"--endpoint", "x"}, {"--endpoint", c.URL, "-o", "x"}, {"--format", "jsonl", "--contents"}} {
		if out := export(flags...); !strings.HasPrefix(out, "exit status 2") {
			t.Errorf("%q printed %s", flags, out)
		}
	}
}
