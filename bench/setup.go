package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A setup is one way to connect the client, which is this process, and the agent.
type setup struct {
	name    string
	command []string // with the agent's command at its end
	cats    bool     // cat before and after the command
	capable bool     // the client announces plan support
	plans   bool     // every tenth message of a flood is a plan to translate
	bridged bool     // the agent speaks version 2 of the protocol, and the client version 1
}

// setups returns the setups to compare. Records and a file of rules are in the folder dir.
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
		{name: "bridged", command: []string{acpshim, "--log-level", "off", "--", self, "agent", "2"}, bridged: true},
		{name: "record", command: behind(acpshim, "--log-level", "off", "--record", "--set", "record.folder="+filepath.Join(dir, "records"), "--")},
		{name: "rules", command: behind(acpshim, "--log-level", "off", "--config", filepath.Join(dir, rulesFile), "--")},
	}
}

const rulesFile = "rules.toml"

// writeRules writes a configuration with a hundred rules. None matches a message of a flood: they
// are for other methods, other kinds of update, and other texts.
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

// A session is a running setup.
type session struct {
	in     io.WriteCloser
	out    *bufio.Reader
	all    []*exec.Cmd
	middle []*exec.Cmd // the processes that are measured
}

// start starts a setup, without the handshake.
func start(s setup) (*session, error) {
	command := exec.Command(s.command[0], s.command[1:]...)
	command.Stderr = os.Stderr
	c := &session{all: []*exec.Cmd{command}}
	switch {
	case s.cats:
		before, behind := exec.Command("cat"), exec.Command("cat")
		c.all, c.middle = []*exec.Cmd{before, command, behind}, []*exec.Cmd{before, behind}
	case s.name != "direct":
		c.middle = c.all
	}
	in, err := c.all[0].StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.all[len(c.all)-1].StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 1<<20)
	for i, p := range c.all[1:] {
		from, to, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer from.Close()
		defer to.Close()
		c.all[i].Stdout, p.Stdin = to, from
	}
	for _, p := range c.all {
		err = errors.Join(err, p.Start())
	}
	return c, err
}

// open starts a setup and sends everything up to a prompt. The prompt stays pending, as in a real
// editor most of the time.
func open(s setup) (*session, error) {
	c, err := start(s)
	if err != nil {
		return nil, err
	}
	for _, line := range []string{initialize(s), `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}`} {
		if _, err := c.call(line); err != nil {
			return nil, err
		}
	}
	if s.bridged {
		return c, nil // there, no response ends a flood
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
	_, err := io.Copy(io.Discard, c.out)
	for _, p := range c.all {
		err = errors.Join(err, p.Wait())
	}
	return err
}

func (c *session) send(line string) error {
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

// call sends a line and returns the next that comes.
func (c *session) call(line string) (response []byte, err error) {
	if err := c.send(line); err != nil {
		return nil, err
	}
	if response, err = c.out.ReadBytes('\n'); err != nil {
		return nil, fmt.Errorf("waiting for a response to %.60q: %w", line, err)
	}
	return response, nil
}

// drain reads up to the line that ends a flood, and returns the number of bytes before it. It
// parses no other line, because the client is not measured.
func (c *session) drain() (total int, err error) {
	var tail []byte
	for !bytes.HasSuffix(tail, []byte(floodEnd)) {
		if _, err := c.out.Peek(1); err != nil {
			return 0, fmt.Errorf("reading a flood, after %d bytes: %w", total, err)
		}
		came, _ := c.out.Peek(c.out.Buffered())
		total += len(came)
		tail = append(tail, came[max(0, len(came)-len(floodEnd)):]...)
		tail = tail[max(0, len(tail)-len(floodEnd)):]
		c.out.Discard(len(came))
	}
	return total - len(floodEnd), nil
}
