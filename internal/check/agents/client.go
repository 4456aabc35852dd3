package agents

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// A client responds to the requests of an agent. It refuses permissions, runs no commands, and
// reads and writes files only in its folder, if that was announced.
type client struct {
	cwd string
	fs  bool

	mu    sync.Mutex
	holds bool               // the next permission gets no response
	held  *peer.Message      // which got none
	asked chan *peer.Message // gets the permission that is held
	count int                // of requests for permission
}

// hold lets the next permission wait for a response.
func (c *client) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds, c.held = true, nil
	select {
	case <-c.asked:
	default:
	}
}

// release ends hold. It returns the request that waits, or nil.
func (c *client) release() (held *peer.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, c.holds, c.held = c.held, false, nil
	return held
}

// requests returns how many permissions the agent has asked for.
func (c *client) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// respond implements peer.Options.Respond.
func (c *client) respond(m *peer.Message) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Method == acp.SessionRequestPermission {
		c.count++
	}
	o, _ := wire.Parse(m.Line, "params")
	params := o.Open("params")
	switch {
	case m.Method == acp.SessionRequestPermission && c.holds:
		c.holds, c.held = false, m
		c.asked <- m
		return nil
	case m.Method == acp.SessionRequestPermission:
		return wire.Result(m.ID, refusal(params.Raw("options")))
	case m.Method == acp.ElicitationCreate && c.fs:
		return wire.Result(m.ID, []byte(`{"action":"cancel"}`))
	case strings.HasPrefix(m.Method, "fs/") && c.fs:
		return c.file(m, params)
	case c.fs && commands[m.Method] != "":
		return wire.Result(m.ID, []byte(commands[m.Method]))
	}
	return wire.Refusal(m.ID, -32601, "Method not found")
}

// commands are the results of requests about a command that is not run.
var commands = map[string]string{
	acp.TerminalCreate:      `{"terminalId":"acpshim-1"}`,
	acp.TerminalOutput:      `{"output":"acpshim check runs no commands\n","truncated":false,"exitStatus":{"exitCode":1}}`,
	acp.TerminalWaitForExit: `{"exitCode":1}`,
	acp.TerminalKill:        `{}`,
	acp.TerminalRelease:     `{}`,
}

// cancelled is the response to a permission request of a cancelled turn.
const cancelled = `{"outcome":{"outcome":"cancelled"}}`

// refusal returns the result that refuses a permission with one of the options.
func refusal(options []byte) []byte {
	elements, _ := wire.Elements(options)
	for _, kind := range []string{acp.RejectOnce, acp.RejectAlways} {
		for _, raw := range elements {
			o, _ := wire.Parse(raw)
			if is, _ := o.Text("kind"); is == kind && wire.IsString(o.Raw("optionId")) {
				return append(append([]byte(`{"outcome":{"outcome":"selected","optionId":`), o.Raw("optionId")...), "}}"...)
			}
		}
	}
	return []byte(cancelled)
}

// file reads or writes a file in the folder.
func (c *client) file(m *peer.Message, params *wire.Object) []byte {
	path, _ := params.Text("path")
	content, _ := params.Text("content")
	if err := c.isInside(path); err != nil {
		return wire.Refusal(m.ID, -32602, err.Error())
	}
	if m.Method == acp.FSWriteTextFile {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return wire.Refusal(m.ID, -32603, err.Error())
		}
		return wire.Result(m.ID, []byte("{}"))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return wire.Refusal(m.ID, -32002, err.Error())
	}
	result, err := json.Marshal(map[string]string{"content": string(text)})
	if err != nil {
		return wire.Refusal(m.ID, -32603, err.Error())
	}
	return wire.Result(m.ID, result)
}

// isInside returns an error unless a path leads into the folder, also by links.
func (c *client) isInside(path string) error {
	if filepath.IsAbs(path) && filepath.Dir(filepath.Clean(path)) == c.cwd {
		if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() {
			return nil
		}
	}
	return errors.New("acpshim check serves only files of its folder")
}
