package clients

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
	"acpshim/internal/log/validate"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// hello are the first lines of a client, and a fault.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":".","mcpServers":[]}}
`

// The report is there before the first line, and after each finding: a client may kill its agent at
// any time. Its form is that of its name.
func TestTheFileIsAlwaysUpToDate(t *testing.T) {
	read := map[string]func(text []byte) (isFailed bool){
		"check.json": func(text []byte) bool {
			var r conformance.Report
			if err := json.Unmarshal(text, &r); err != nil || len(r.Rules) != 17 {
				t.Errorf("%s: %v", text, err)
			}
			return r.Failed == 1
		},
		"check.xml": func(text []byte) bool {
			var r struct {
				Suite struct {
					Failures int `xml:"failures,attr"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal(text, &r); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			return r.Suite.Failures == 1
		},
		"check.txt": func(text []byte) bool { return bytes.Contains(text, []byte("\nfailed   client-session-new ")) },
	}
	for name, isFailed := range read {
		file := filepath.Join(t.TempDir(), name)
		c, err := Open(file, nil, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		text := func() []byte {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if isFailed(text()) {
			t.Errorf("%s of nothing: %s", name, text())
		}
		for line := range strings.Lines(hello) {
			c.Received([]byte(line))
		}
		if !isFailed(text()) {
			t.Errorf("%s: %s", name, text())
		}
	}
}

// Agents that are started at the same time write different reports.
func TestEachAgentHasItsOwnReport(t *testing.T) {
	dir := t.TempDir()
	var names []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			c, err := Open(filepath.Join(dir, "a.check.xml"), nil, func(err error) { t.Error(err) })
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			names = append(names, filepath.Base(c.Name()))
		})
	}
	all.Wait()
	slices.Sort(names)
	if want := []string{"a.check.2.xml", "a.check.3.xml", "a.check.4.xml", "a.check.5.xml", "a.check.xml"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	if _, err := Open(dir, nil, nil); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none", "check.txt"), nil, nil); err == nil {
		t.Error("there is a report in a folder that does not exist")
	}
}

// A report that cannot be written is told, and the agent goes on.
func TestTheReportIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var told []error
	c, err := Open(filepath.Join(dir, "check.txt"), nil, func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Run(strings.NewReader(hello), &out); err != nil || len(told) == 0 || !strings.Contains(out.String(), `"sessionId":"demo"`) {
		t.Errorf("%v, %v, %s", err, told, &out)
	}
}

// A client of a later version may leave when it hears that the agent has only version 1.
func TestAClientOfVersion2(t *testing.T) {
	talk := func(lines string) conformance.Report {
		c := &Check{name: filepath.Join(t.TempDir(), "check.txt"), judge: newJudge(), warn: func(err error) { t.Error(err) }}
		c.exam.check = c
		if err := c.Run(strings.NewReader(lines), io.Discard); err != nil {
			t.Error(err)
		}
		return c.judge.report(nil)
	}
	first := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"new","version":"3"},"capabilities":{}}}` + "\n"
	r := talk(first)
	if r.Failed+r.Warnings > 0 || r.OK != 4 || r.Client.Protocol != 2 || r.Client.Name != "new" {
		t.Errorf("%s", text(t, r))
	}
	for _, f := range r.Rules {
		if f.Status == conformance.Skipped && !strings.Contains(f.Text, "after the agent's version 1") {
			t.Errorf("%+v", f)
		}
	}
	if r := talk(first + `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"~","mcpServers":[]}}` + "\n"); statuses(r, conformance.Failed) != ruleSession {
		t.Errorf("%s", text(t, r))
	}
}

// The agent's own messages are right, except in scenes and where the exam wants the fault.
func TestTheAgentsMessagesAreRight(t *testing.T) {
	var book history.Conversation
	var mu sync.Mutex
	h := &history.History{}
	note := func(from wire.Side, line string) {
		mu.Lock()
		defer mu.Unlock()
		r := record.Record{Seq: uint64(len(h.Messages) + 1), Message: &record.Message{Dir: from, Line: []byte(line), Len: int64(len(line))}}
		h.Messages = append(h.Messages, book.Add(r)...)
	}
	c := &client{
		edit: func(line string) string { note(wire.Client, line); return line },
		took: func(_ *client, _, _, line string) bool { note(wire.Agent, line); return false },
	}
	check(t, c, func(c *client) {
		c.request("0", "initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}`)()
		c.request("1", "session/new", `{"cwd":`+quoted(c.cwd)+`,"mcpServers":[]}`)()
		c.request("2", "session/new", `{"cwd":`+quoted(c.cwd)+`,"mcpServers":[]}`)()
		c.request("3", "session/set_mode", `{"sessionId":"demo-2","modeId":"plan"}`)()
		c.request("4", "session/set_config_option", `{"sessionId":"demo-2","configId":"effort","value":"high"}`)()
		c.request("5", "session/set_mode", `{"sessionId":"demo-2","modeId":"none"}`)()
		c.request("6", "session/load", `{"sessionId":"demo-2","cwd":"/","mcpServers":[]}`)()
		c.request("7", "session/prompt", `{"sessionId":"none","prompt":[]}`)()
		c.prompt(8, "todo")()
		wait := c.prompt(9, "wait")
		time.Sleep(time.Second)
		c.cancel()
		wait()
	})
	got := map[string]string{} // what is in the results, or the code of the error
	for _, m := range h.Messages {
		if m.Message.Dir == wire.Agent && m.Kind == history.Response {
			o, _ := wire.Parse(m.JSON, "error")
			got[m.ID] = string(o.Raw("result")) + string(o.Open("error").Raw("code"))
		}
	}
	for id, want := range map[string]string{"0": `"agentCapabilities":{}`, "1": `"demo"`, "2": `"demo-2"`, "3": "{}", "4": `"currentValue":"high"`, "5": "-32602", "6": "-32601", "7": "-32602", "8": "end_turn", "9": `"cancelled"`} {
		if !strings.Contains(got[id], want) {
			t.Errorf("response %s: %s, want %s", id, got[id], want)
		}
	}
	checked := 0
	for _, f := range validate.Check(h).Findings {
		isWanted := strings.Contains(string(h.Messages[f.Seq-1].JSON), "this is not content")
		if !f.Note && f.From == wire.Agent && !isWanted {
			t.Errorf("%+v", f)
		}
		checked++
	}
	if len(h.Messages) < 50 || checked == 0 {
		t.Errorf("%d messages, %d findings", len(h.Messages), checked)
	}
	last := h.Messages[len(h.Messages)-1]
	if last.ID != "9" {
		t.Errorf("after the end of the cancelled turn came %s", last.JSON)
	}
}
