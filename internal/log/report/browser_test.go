package report

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestBrowser opens reports in a real browser. It needs ACPSHIM_BROWSER, the path of
// a Chromium, and "npm ci" in testdata/browser. ACPSHIM_SHOTS is a folder for screenshots, and
// ACPSHIM_CHECKS names the checks that are run, or is empty for all.
func TestBrowser(t *testing.T) {
	browser := os.Getenv("ACPSHIM_BROWSER")
	if browser == "" {
		t.Skip("ACPSHIM_BROWSER names no Chromium")
	}
	dir := t.TempDir()
	for name, source := range map[string]string{
		"conversation": conversation(1),
		"hostile":      hostile,
		"sessions":     sessions,
		"changes":      changes,
		"waited":       waited,
		"large":        conversation(1300),
	} {
		f, err := os.Create(filepath.Join(dir, name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(f, read(t, source), Options{Name: name}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	counts, err := json.Marshal(filterCounts)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c := exec.Command("node", "check.mjs", browser, dir, string(counts), os.Getenv("ACPSHIM_SHOTS"))
	c.Dir = "testdata/browser"
	out, err := c.CombinedOutput()
	t.Logf("%s(%v)", out, time.Since(begun).Round(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
}

// waited is a record of a plan that was shown as a message, and of a prompt that was never
// answered.
const waited = `{"kind":"start","schema":1,"run":"r","acpshim":"v1","argv":["some-agent"],"redacted":true}
{"kind":"message","seq":1,"mono":1000000,"dir":"client","len":90,"msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"pen","version":"2"}}}}
{"kind":"message","seq":2,"mono":2000000,"dir":"agent","len":90,"msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"tinker","version":"1"}}}}
{"kind":"stderr","seq":3,"mono":3000000,"text":"one\n"}
{"kind":"stderr","seq":4,"mono":3000000,"text":"two\n"}
{"kind":"stderr","seq":5,"mono":3000000,"text":"three\n"}
{"kind":"message","seq":6,"mono":4000000,"dir":"client","len":90,"msg":{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}}
{"kind":"message","seq":7,"mono":5000000,"dir":"agent","stage":"in","by":["plan"],"why":["held until the reader is needed"],"len":90,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Fix it","priority":"medium","status":"pending"}]}}}}}
{"kind":"message","seq":8,"mono":6000000,"dir":"agent","stage":"out","by":["plan"],"why":["acpshim held the text until the end of the turn"],"reasons":[{"by":"plan","code":"plans.held-until-turn-end","shows":[7]}],"len":90,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"**Plan**\n\n- [ ] Fix it\n"}}}}}
{"kind":"end","seq":9,"mono":26000000000,"status":0,"steps":[{"what":"client-closed","mono":25994000000}]}
`
