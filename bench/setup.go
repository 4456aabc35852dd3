package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A setup is one way to put something between the client, which is this
// process, and the agent.
type setup struct {
	name    string
	command []string // with the agent's command at its end
	cats    bool     // cat before and behind the command
	capable bool     // the client announces plan support
	plans   bool     // every tenth message of a flood is a plan to translate
}

// setups are what is compared. Records and a file of rules are in the folder dir.
func setups(self, acpshim, dir string) []setup {
	agent := []string{self, "agent"}
	behind := func(words ...string) []string { return append(words, agent...) }
	quiet := behind(acpshim, "--log-level", "off", "--")
	return []setup{
		{name: "direct", command: agent},
		{name: "cat", command: agent, cats: true},
		{name: "bare", command: behind(self, "relay", "")},
		{name: "copy", command: behind(self, "relay", filepath.Join(dir, "copy"))},
		{name: "capable", command: quiet, capable: true},
		{name: "old", command: quiet},
		{name: "plans", command: quiet, plans: true},
		{name: "record", command: behind(acpshim, "--log-level", "off", "--record", "--set", "record.folder="+filepath.Join(dir, "records"), "--")},
		{name: "rules", command: behind(acpshim, "--log-level", "off", "--config", filepath.Join(dir, rulesFile), "--")},
	}
}

const rulesFile = "rules.toml"

// writeRules writes a configuration with a hundred rules, of which none matches a
// message of a flood: for other methods, other kinds of update, other texts.
func writeRules(dir string) error {
	var b bytes.Buffer
	for i := range 100 {
		where := fmt.Sprintf("method = \"x/%d\"", i)
		switch i % 3 {
		case 1:
			where = fmt.Sprintf("update = \"kind_%d\"", i)
		case 2:
			where = fmt.Sprintf("method = \"session/update\"\nwhen.equals = { \"/params/update/title\" = \"title %d\" }", i)
		}
		fmt.Fprintf(&b, "[[rule]]\nname = \"rule %d\"\nfrom = \"agent\"\n%s\ndelete = [\"/params/x\"]\n", i, where)
	}
	return os.WriteFile(filepath.Join(dir, rulesFile), b.Bytes(), 0o600)
}

// A session is a running setup after the handshake.
type session struct {
	in     io.WriteCloser
	out    io.Reader
	middle []*exec.Cmd // the processes that are measured
	all    []*exec.Cmd
	buf    []byte // what was read and not yet taken
	chunk  []byte
}

// start starts a setup, without the handshake.
func start(s setup) (*session, error) {
	c := &session{chunk: make([]byte, 1<<20)}
	command := exec.Command(s.command[0], s.command[1:]...)
	command.Stderr = os.Stderr
	var err error
	if !s.cats {
		if c.in, err = command.StdinPipe(); err != nil {
			return nil, err
		}
		if c.out, err = command.StdoutPipe(); err != nil {
			return nil, err
		}
		c.all = []*exec.Cmd{command}
		if s.name != "direct" {
			c.middle = c.all
		}
		return c, command.Start()
	}
	before, behind := exec.Command("cat"), exec.Command("cat")
	toAgent, fromCat, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	toCat, fromAgent, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = before.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = behind.StdoutPipe(); err != nil {
		return nil, err
	}
	before.Stdout, command.Stdin, command.Stdout, behind.Stdin = fromCat, toAgent, fromAgent, toCat
	c.all = []*exec.Cmd{before, command, behind}
	c.middle = []*exec.Cmd{before, behind}
	for _, p := range c.all {
		err = errors.Join(err, p.Start())
	}
	for _, f := range []*os.File{toAgent, fromCat, toCat, fromAgent} {
		f.Close()
	}
	return c, err
}

// open starts a setup and shakes hands, up to a prompt that is being answered:
// the state in which an editor spends its day.
func open(s setup) (*session, error) {
	c, err := start(s)
	if err != nil {
		return nil, err
	}
	if _, err := c.call(initialize(s)); err != nil {
		return nil, err
	}
	if _, err := c.call(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}`); err != nil {
		return nil, err
	}
	return c, c.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
}

func initialize(s setup) string {
	capabilities := `{}`
	if s.capable {
		capabilities = `{"plan":{},"planCapabilities":{}}`
	}
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":` + capabilities + `}}`
}

// close ends the session.
func (c *session) close() error {
	c.in.Close()
	if _, err := io.Copy(io.Discard, c.out); err != nil {
		return err
	}
	var errs []error
	for _, p := range c.all {
		errs = append(errs, p.Wait())
	}
	return errors.Join(errs...)
}

func (c *session) send(line string) error {
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

// call sends a line and returns the next that comes.
func (c *session) call(line string) ([]byte, error) {
	if err := c.send(line); err != nil {
		return nil, err
	}
	for {
		if i := bytes.IndexByte(c.buf, '\n'); i >= 0 {
			answer := c.buf[:i+1]
			c.buf = c.buf[i+1:]
			return answer, nil
		}
		n, err := c.out.Read(c.chunk)
		if err != nil {
			return nil, fmt.Errorf("waiting for an answer to %.60q: %w", line, err)
		}
		c.buf = append(c.buf[:len(c.buf):len(c.buf)], c.chunk[:n]...)
	}
}

// drain reads until the line that ends a flood, and returns how many bytes came
// before it.
func (c *session) drain() (int, error) {
	total := len(c.buf)
	tail := append([]byte(nil), c.buf[max(0, len(c.buf)-len(floodEnd)):]...)
	c.buf = nil
	for {
		if bytes.HasSuffix(tail, []byte(floodEnd)) {
			return total - len(floodEnd), nil
		}
		n, err := c.out.Read(c.chunk)
		if err != nil {
			return 0, fmt.Errorf("reading a flood, after %d bytes: %w", total, err)
		}
		total += n
		last := c.chunk[max(0, n-len(floodEnd)):n]
		tail = append(tail, last...)
		tail = tail[max(0, len(tail)-len(floodEnd)):]
	}
}
