package view

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/record"
)

// An agent that refuses initialize sends its name when it is asked again.
func TestANameAfterARefusal(t *testing.T) {
	const text = `{"kind":"start","schema":1,"time":"2026-11-22T20:00:25.000000000Z","run":"r","part":0,"argv":["/bin/agent"]}
{"kind":"message","seq":1,"dir":"client","len":1,"msg":{"id":0,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{"name":"kit","version":"1"}}}}
{"kind":"message","seq":2,"dir":"agent","stage":"in","by":["repair"],"len":1,"msg":{"id":0,"error":{"code":-32600}}}
{"kind":"message","seq":3,"dir":"client","stage":"out","by":["repair"],"len":1,"msg":{"id":"own","method":"initialize","params":{"protocolVersion":1}}}
{"kind":"message","seq":4,"dir":"agent","stage":"in","by":["repair"],"len":1,"msg":{"id":"own","result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"2"}}}}
{"kind":"message","seq":5,"dir":"agent","stage":"out","of":4,"by":["repair"],"len":1,"msg":{"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"2"}}}}
`
	file := filepath.Join(t.TempDir(), "20261122T200025.000Z-agent-1-00000000.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ReadRun([]string{file})
	if err != nil || l.Agent != "a 2" || l.Client != "kit 1" {
		t.Errorf("%v, %q with %q", err, l.Agent, l.Client)
	}
}

// What went wrong is known of a small record, and of a large one only as far as its end says it.
func TestWhatWentWrongInTheList(t *testing.T) {
	const begin = `{"kind":"start","schema":1,"run":"r","part":0,"argv":["a"]}
`
	const failed = `{"kind":"message","seq":1,"dir":"client","len":1,"msg":{"id":0,"method":"x"}}
{"kind":"message","seq":2,"dir":"agent","len":1,"msg":{"id":0,"error":{"code":1}}}
`
	const good = `{"kind":"end","seq":N,"status":0,"steps":[{"what":"client-closed","mono":1}]}
`
	const bad = `{"kind":"end","seq":N,"status":3,"steps":[{"what":"agent-exited","mono":1}]}
`
	large := `{"kind":"event","seq":0,"text":"` + strings.Repeat("x", wrongWindow) + `"}` + "\n"
	for text, want := range map[string]string{
		begin + good: "-", begin + failed + good: "1 problem", begin + bad: "agent ended", begin + failed: "cut off",
		begin + large + good: "?", begin + large + failed + good: "1+ problems", begin + large + bad: "agent ended",
	} {
		file := filepath.Join(t.TempDir(), "20261122T200025.000Z-agent-1-00000000.jsonl")
		text = strings.Replace(text, "N", strconv.Itoa(strings.Count(text, "\n")-1), 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRun([]string{file}); err != nil || r.Wrong != want {
			t.Errorf("%v, %q, want %q of %.300s", err, r.Wrong, want, text)
		}
	}
}

// Only both ends of a file without ends of lines are read.
func TestAFileWithoutLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "20260304T100000.000Z-x-1-00000000.jsonl")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.Truncate(file, 1<<28)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if r, err := ReadRun([]string{file}); err != nil || r.State != "cut off" {
		t.Errorf("%+v, %v", r, err)
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 200 {
		t.Errorf("%d MB are taken", taken)
	}
}

// An endless file is named as what it is, and the list of runs goes on.
func TestAFileOfHoles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "20260304T100000.000Z-x-1-00000000.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 1<<40); err != nil {
		t.Skip(err) // not every file system has holes
	}
	if _, err := ReadRun([]string{file}); !errors.Is(err, record.ErrNoRecord) || !strings.HasPrefix(err.Error(), "20260304T100000.000Z-x-1-00000000: not a record") {
		t.Errorf("%v", err)
	}
}
