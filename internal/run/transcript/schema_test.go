package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
)

// TestEmittedMessagesAreValid validates what acpshim makes of the transcripts against the
// protocol's schemas, each message against the type of its method: the root of a schema
// accepts nearly anything. What the transcripts say is what comes: TestTranscripts of
// cmd/acpshim holds them to that. The schemas are not part of this repository;
// ACPSHIM_SHARED names the folder that has them: in schema those of before 1.20, which older peers
// know, and in a folder of each later release those of that release.
//
// The package of the command does without the library: its init would cost each of the
// processes that tests start there 5 ms.
func TestEmittedMessagesAreValid(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	for _, release := range []string{".", "1.20.0"} {
		t.Run(release, func(t *testing.T) { validateTranscripts(t, filepath.Join(shared, "schema", release)) })
	}
}

// validateTranscripts validates the transcripts against the schemas in a folder.
func validateTranscripts(t *testing.T, dir string) {
	stable, unstable := methodSchemas(t, dir+"/v1/schema.json"), methodSchemas(t, dir+"/v1/schema.unstable.json")
	version2 := methodSchemas(t, dir+"/v2/schema.unstable.json")
	if err := validate(stable["session/update"], `{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"HIGH","status":"pending"}]}}`); err == nil {
		t.Fatal("the schema accepts a wrong priority: nothing is checked")
	}
	paths, _ := filepath.Glob("../../../testdata/transcripts/*.txtar")
	checked := 0
	for _, path := range paths {
		if filepath.Base(dir) == "schema" && slices.Contains(announced, filepath.Base(path)) {
			continue
		}
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]bool{}    // lines that are a peer's own
		asked := map[string]string{} // methods of requests, by who gets the answer and the id
		speaks2 := map[string]bool{} // who speaks version 2, as the last response to initialize or a request says
		for _, f := range a.Files {
			for _, line := range single(string(f.Data)) {
				if v := protocolVersion.FindStringSubmatch(line); v != nil && f.Name != "client" {
					speaks2["to "+strings.TrimPrefix(f.Name, "to ")] = v[1] == "2"
				}
				switch f.Name {
				case "client", "agent":
					said[line] = true
					var msg message
					json.Unmarshal([]byte(line), &msg)
					asked["to "+f.Name+string(msg.ID)] = msg.Method
				case "to client", "to agent":
					if said[line] {
						continue
					}
					var msg message
					if err := json.Unmarshal([]byte(line), &msg); err != nil {
						t.Errorf("%s: %v in %s", filepath.Base(path), err, line)
						continue
					}
					// What goes to an old client has to be in the stable
					// schema; agents and capable clients know the unstable one.
					kind, body := msg.Method, msg.Params
					if kind == "" {
						kind, body = asked[f.Name+string(msg.ID)]+answer, msg.Result
					}
					if kind == "session/cancel"+answer && string(body) == "null" {
						continue // a client that sends it as a request gets a response, which no schema has
					}
					if strings.HasPrefix(kind, "session/set_model") {
						continue // no schema has it since June 2026, and agents still know it
					}
					if strings.HasPrefix(kind, "cursor/") || msg.Method == "" && msg.Result == nil {
						continue // Cursor's own, and errors
					}
					schema := stable[kind]
					isAsked := msg.Method == "" && schema == nil // the client knows what it asks for
					if f.Name == "to agent" || isAsked || strings.HasPrefix(filepath.Base(path), "bridge_") {
						schema = unstable[kind]
					}
					if speaks2[f.Name] || changes[filepath.Base(path)] && strings.Contains(line, "state_update") {
						schema = version2[kind]
					}
					if err := validate(schema, string(body)); err != nil {
						t.Errorf("%s: %v\nin %s", filepath.Base(path), err, line)
					}
					checked++
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d messages were checked", checked)
	}
	t.Logf("%d messages", checked)
}

// changes are the transcripts in which a turn of version 2 ends after the client has changed to
// version 1.
var changes = map[string]bool{"versions_initialize_again.txtar": true}

// announced are the transcripts whose clients know what is new in schema 1.20.0.
var announced = []string{"plan_idle_capable_client.txtar", "plan_path_capable_client.txtar", "versions_subagents_announced.txtar", "versions_withdrawn.txtar", "versions_values_agent.txtar"}

var protocolVersion = regexp.MustCompile(`"protocolVersion":(\d+)`)

type message struct {
	ID             json.RawMessage
	Method         string
	Params, Result json.RawMessage
}

// answer follows the method where the type of its result is meant.
const answer = " answer"

// single are the messages of a section, those of a batch one by one.
func single(section string) (messages []string) {
	for line := range strings.Lines(section) {
		elements, ok := wire.Elements([]byte(strings.TrimSuffix(line, "\n")))
		if !ok {
			messages = append(messages, strings.TrimSuffix(line, "\n"))
		}
		for _, e := range elements {
			messages = append(messages, string(e))
		}
	}
	return messages
}

// methodSchemas compiles the params type of every method, and the type of its
// result.
func methodSchemas(t *testing.T, path string) map[string]*jsonschema.Schema {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Method string `json:"x-method"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(source, &schema); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	compiled := map[string]*jsonschema.Schema{}
	for name, def := range schema.Defs {
		if def.Method == "" {
			continue
		}
		kind := def.Method
		if strings.HasSuffix(name, "Response") {
			kind += answer
		}
		s, err := c.Compile(path + "#/$defs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		compiled[kind] = s
	}
	return compiled
}

func validate(schema *jsonschema.Schema, params string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(params))
	if err != nil {
		return err
	}
	if schema == nil {
		return os.ErrNotExist
	}
	return schema.Validate(v)
}
