package todo

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"
)

// The numbers are those of the lists in each file, their steps, and the completed steps after the
// slash.
func TestShippedToolsOnRealTraffic(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with real messages")
	}
	for _, test := range []struct {
		file, agent string
		want        []int // steps and completed ones after each message that changes the list
	}{
		{"real_opencode-1.18.33_todowrite.ndjson", "OpenCode", []int{3, 1, 3, 2}},
		{"acp-devtools_goose-1.37.0.dir.ndjson", "goose", []int{7, 1, 7, 7}},
		{"agentpool_tool-call-updates.ndjson", "", nil},
		{"codex-acp_session-updates.ndjson", "codex-acp", nil},
		{"real_codex-acp-2.6.0_plan-mode_old-client.ndjson", "codex-acp", nil},
	} {
		t.Run(test.file, func(t *testing.T) {
			f, err := os.Open(filepath.Join(shared, "traffic", test.file))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			tools := shipped(t, test.agent)
			sessions, shown := map[string]*Todos{}, map[string]string{}
			var got []int
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 16<<20)
			updates := 0
			for lines.Scan() {
				line := lines.Text()
				var directed struct{ Raw string }
				if json.Unmarshal([]byte(line), &directed) == nil && directed.Raw != "" {
					line = directed.Raw
				}
				msg, err := wire.Parse([]byte(line), "params", "params.update")
				if err != nil {
					t.Fatal(err)
				}
				params := msg.Open("params")
				update := params.Open("update")
				if kind, _ := update.Text("sessionUpdate"); !strings.HasPrefix(kind, "tool_call") {
					continue
				}
				updates++
				id, _ := params.Text("sessionId")
				if sessions[id] == nil {
					sessions[id] = new(Todos)
				}
				sessions[id].Read(tools, update)
				entries := sessions[id].Entries()
				if now := drawnSteps(entries); now != shown[id] {
					shown[id] = now
					n := 0
					for _, e := range entries {
						if e.Status == entry.Completed {
							n++
						}
					}
					got = append(got, len(entries), n)
				}
			}
			if updates == 0 && test.want != nil || !slices.Equal(got, test.want) {
				t.Errorf("%v of %d updates, want %v", got, updates, test.want)
			}
		})
	}
}

func TestShippedToolsOnSnippetsOfIssues(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with real messages")
	}
	text, err := os.ReadFile(filepath.Join(shared, "traffic", "issue_snippets.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]struct{ agent, call, want string }{
		"opencode/kilocode todowrite rawInput": {"", `"title":"todowrite","rawInput":`, "~ refactor A!, x [cancelled] refactor B?"},
		"cursor todo as tool_call rawInput":    {"", `"title":"Update TODOs","rawInput":`, "~ Step one, - Step two"},
		"todo tool details":                    {"oh-my-pi", `"title":"todo_write","status":"completed","rawOutput":`, "x a, ~ b"},
		"kiro todo_list create":                {"Kiro CLI Agent", `"title":"todo_list","rawInput":`, "- a, - b"},
	}
	for line := range strings.Lines(string(text)) {
		var snippet struct {
			What  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &snippet); err != nil {
			t.Fatal(err)
		}
		call, ok := calls[snippet.What]
		if !ok {
			continue
		}
		delete(calls, snippet.What)
		var todos Todos
		read(t, &todos, shipped(t, call.agent), acp.SessionUpdate, a(start, call.call+string(snippet.Value)))
		if got := drawnSteps(todos.Entries()); got != call.want {
			t.Errorf("%s: %q, want %q", snippet.What, got, call.want)
		}
	}
	if len(calls) > 0 {
		t.Errorf("not found: %v", calls)
	}
}
