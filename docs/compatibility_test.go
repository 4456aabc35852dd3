package docs

import (
	"encoding/json"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/setup/config"
	"acpshim/translate/todo"

	"github.com/BurntSushi/toml"
	"golang.org/x/tools/txtar"
)

// docs/compatibility.md is made of the adapters' comments, peers.toml and config.toml.
func TestCompatibilityIsDescribed(t *testing.T) {
	var peers peers
	if _, err := toml.Decode(read(t, "peers.toml"), &peers); err != nil {
		t.Fatal(err)
	}
	peers.check(t)
	hasGeneratedParts(t, "compatibility.md", map[string]string{
		"adapters": adapters(t),
		"clients":  peers.clients(),
		"agents":   peers.agents(),
		"profiles": shippedTable(rowsOf(sections(t), "profile")),
		"rules":    shippedTable(rowsOf(sections(t), "rule")),
	})
	hasGeneratedParts(t, "contributing/faults.md", map[string]string{"versions in tests": versions(t)})
}

// Peers is peers.toml.
type peers struct {
	Client []struct {
		Name, Info, Shows, Seen, Read string
		Announces                     bool
	}
	Agent []struct {
		Name, Info, Sends, Seen, Read string
		Plans, Tools                  []string
	}
}

// check tests that each shipped profile and todo tool is about one of the peers.
func (p peers) check(t *testing.T) {
	t.Helper()
	c := config.Default()
	clients, agents, tools := []string{}, []string{}, map[string]bool{}
	for _, client := range p.Client {
		clients = append(clients, client.Info)
	}
	for _, agent := range p.Agent {
		agents = append(agents, agent.Info)
		for _, name := range agent.Tools {
			tools[name] = true
			if tool, err := todo.NewTool(toolOf(name).ToolOptions); err != nil || !tool.Serves(agent.Info) {
				t.Errorf("peers.toml: the todo tool %q does not serve %s: %v", name, agent.Name, err)
			}
		}
	}
	for _, tool := range c.Plan.Tool {
		if !tools[tool.Name] {
			t.Errorf("peers.toml: no agent has the todo tool %q", tool.Name)
		}
	}
	for _, profile := range c.Profiles {
		if !isAbout(profile.Client, clients) || !isAbout(profile.Agent, agents) {
			t.Errorf("peers.toml: nobody is whom the profile %q is about", profile.Name)
		}
	}
}

// isAbout reports whether a pattern is empty or matches one of the names, in any version.
func isAbout(pattern string, names []string) bool {
	p, err := rule.NewPeerPattern(regexp.MustCompile(` [<>=].*`).ReplaceAllString(pattern, ""))
	return pattern == "" || err == nil && slices.ContainsFunc(names, func(name string) bool { return p.Match(rule.Peer{Name: name}) })
}

// clients is the table of clients. What is done for each is what its configuration says.
func (p peers) clients() string {
	var rows [][]string
	for _, client := range p.Client {
		c := config.Default().For(rule.Peer{Name: client.Info}, rule.Peer{})
		does := []string{map[string]string{"plan": "All plans as the legacy plan", "message": "All plans as messages"}[c.Plan.ShowAs]}
		if client.Announces {
			does = []string{"Plan updates in both spellings"}
		}
		gates := map[string]string{"notices": c.Gate.Notices, "compaction": c.Gate.Compaction, "boolean options": c.Gate.BooleanOptions}
		maps.DeleteFunc(gates, func(_, policy string) bool { return policy != "drop" })
		if len(gates) > 0 {
			does = append(does, "without "+strings.Join(slices.Sorted(maps.Keys(gates)), ", "))
		}
		for name, on := range c.Switches {
			if on {
				does = append(does, "rule “"+name+"”")
			}
		}
		name := client.Name
		if client.Info != "" && client.Info != name {
			name += " (" + code(client.Info) + ")"
		}
		rows = append(rows, []string{name, markdown(client.Shows), strings.Join(does, "; "), client.Seen, markdown(client.Read)})
	}
	return table([]string{"client", "without acpshim", "what acpshim sends it", "seen in", "source"}, rows)
}

// agents is the table of agents.
func (p peers) agents() string {
	var rows [][]string
	for _, agent := range p.Agent {
		c := config.Default().For(rule.Peer{}, rule.Peer{Name: agent.Info})
		becomes := "Nothing: there is no plan"
		if len(agent.Tools) > 0 {
			becomes = "A plan made of the calls: " + code(agent.Tools...)
		}
		if slices.Contains(agent.Plans, "plan") {
			becomes = "The plan"
		}
		if slices.Contains(agent.Plans, "document") {
			becomes += map[string]string{"message": ". Of a document, the entries, and the text as a message", "drop": ". Of a document, the entries"}[c.Plan.Prose]
		}
		rows = append(rows, []string{agent.Name, markdown(agent.Sends), becomes, agent.Seen, markdown(agent.Read)})
	}
	return table([]string{"agent", "sends", "what acpshim shows", "seen in", "source"}, rows)
}

// Facts are the items of the list in the comment on an adapter.
var facts = []string{"Settles", "For", "Keys", "Seen", "Read"}

// groups are the headings of the tables of adapters, and the first key of each adapter below them.
var groups = []struct{ heading, keys string }{
	{"Start and login", "repair.version version.bridge junk login.method repair.login_code repair.auth_methods repair.authenticate"},
	{"Sessions", "opening.hold repair.mcp_servers repair.mcp_refused repair.session_folder repair.load repair.resume choices.bridge command"},
	{"Prompts and turns", "prompt.instructions prompt.links images.files images.drop_uris turns.queue turns.late deadline.start repair.cancel repair.cancel_request repair.usage"},
	{"Plans", "plan.advertise plan.bridge plan.idle"},
	{"Messages", "repair.chunks repair.echo repair.message_breaks repair.option_kinds gate.notices"},
	{"Tool calls and their output", "repair.tool_calls repair.call_ids repair.diffs repair.terminals output.terminals output.report"},
	{"Permissions and questions", "permission questions.ask repair.asked_calls repair.permission_reasons repair.option_ids repair.one_reject repair.refusals"},
	{"Files and terminals", "services.fs services.terminal repair.shell_lines path"},
	{"Everything else", "rule"},
}

// adapters are the tables of adapters: the types that handle messages, or whose comments have the
// facts. They are found in the source, so that none can be left out.
func adapters(t *testing.T) string {
	t.Helper()
	rows := map[string][][]string{} // by the first key
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "testdata"}, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		adaptersIn(t, rows, filepath.Dir(path), file)
		return nil
	})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d adapters: %v", len(rows), err)
	}
	var parts []string
	for _, group := range groups {
		var in [][]string
		for _, key := range strings.Fields(group.keys) {
			in = append(in, rows[key]...)
			delete(rows, key)
		}
		heads := []string{"what you see", "who has it", "keys and defaults", "seen in", "source", "package"}
		parts = append(parts, "### "+group.heading+"\n\n"+table(heads, in))
	}
	for key := range rows {
		t.Errorf("the adapter with the key %q is in none of the groups", key)
	}
	return strings.Join(parts, "\n")
}

// adaptersIn adds the rows of a file to rows.
func adaptersIn(t *testing.T, rows map[string][][]string, folder string, file *ast.File) {
	for _, d := range file.Decls {
		types, ok := d.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		of := factsIn(types.Doc.Text())
		if of["Settles"] == "" {
			if embedsBase(types) {
				t.Errorf("%s: the comment on the adapter lacks the facts for docs/compatibility.md: %v", folder, facts)
			}
			continue
		}
		name := strings.TrimPrefix(filepath.ToSlash(folder), "../")
		hasEvidence := of["Seen"] != "" || of["Read"] != ""
		if of := name + "." + types.Specs[0].(*ast.TypeSpec).Name.Name; hasEvidence == slices.Contains(withoutEvidence, of) {
			t.Errorf("%s was seen, or is described in a ticket: %t", of, hasEvidence)
		}
		var keys []string
		for _, key := range strings.Split(of["Keys"], ", ") {
			if !isKey(key) {
				t.Errorf("%s: there is no key %q", folder, key)
			}
			if isOff(t, key) && !isTurnedOn(t, key) {
				t.Errorf("%s: no transcript and no profile turns %s on", folder, key)
			}
			keys = append(keys, code(withDefault(t, key)))
		}
		first, _, _ := strings.Cut(of["Keys"], ", ")
		rows[first] = append(rows[first], []string{markdown(of["Settles"]), markdown(of["For"]), strings.Join(keys, "<br>"),
			of["Seen"], markdown(of["Read"]), code(name)})
	}
}

// withoutEvidence are the adapters without Seen and Read. Do not add one.
var withoutEvidence = []string{"internal/adapters/versions.Early"}

// withoutClock are keys with a time. No transcript can show them, because it has no clock.
var withoutClock = []string{"deadline.start", "deadline.open", "deadline.silence", "deadline.cancel", "turns.cancel_grace"}

// isOff reports whether a key does nothing by default.
func isOff(t *testing.T, key string) bool {
	_, value, ok := strings.Cut(withDefault(t, key), " = ")
	return isRow(key) || ok && slices.Contains([]string{"false", "0", "[]", `""`, `"0s"`, `"off"`, `"pass"`, `"keep"`}, value)
}

// isTurnedOn reports whether a transcript or a shipped profile sets a key.
func isTurnedOn(t *testing.T, key string) bool {
	t.Helper()
	if slices.Contains(withoutClock, key) {
		return true
	}
	for _, profile := range rowsOf(sections(t), "profile") {
		if slices.ContainsFunc(profile.keys, func(k setting) bool { return k.name == key }) {
			return true
		}
	}
	paths, _ := filepath.Glob("../testdata/transcripts/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name != "config.toml" {
				continue
			}
			var set map[string]any
			meta, err := toml.Decode(string(file.Data), &set)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if meta.IsDefined(strings.Split(key, ".")...) {
				return true
			}
		}
	}
	return false
}

// withDefault is a key with its default, or the name of a table in brackets.
func withDefault(t *testing.T, key string) string {
	if isRow(key) {
		return "[[" + key + "]]"
	}
	for _, s := range sections(t) {
		for _, k := range s.keys {
			if !s.isExample && strings.TrimPrefix(s.name+"."+k.name, ".") == key {
				return key + " = " + k.value
			}
		}
	}
	return "[" + key + "]"
}

// embedsBase reports whether an exported type embeds dispatch.Base or dispatch.Switched, as
// adapters do.
func embedsBase(types *ast.GenDecl) bool {
	for _, spec := range types.Specs {
		structure, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
		if !ok || !spec.(*ast.TypeSpec).Name.IsExported() {
			continue
		}
		for _, field := range structure.Fields.List {
			of := field.Type
			if generic, ok := of.(*ast.IndexExpr); ok {
				of = generic.X
			}
			selector, ok := of.(*ast.SelectorExpr)
			if ok && field.Names == nil && (selector.Sel.Name == "Base" || selector.Sel.Name == "Switched") {
				return true
			}
		}
	}
	return false
}

// factsIn are the facts in a comment.
func factsIn(text string) map[string]string {
	found := map[string]string{}
	var p comment.Parser
	var printer comment.Printer
	for _, block := range p.Parse(text).Content {
		list, ok := block.(*comment.List)
		if !ok {
			continue
		}
		for _, item := range list.Items {
			line := string(printer.Comment(&comment.Doc{Content: item.Content}))
			name, value, _ := strings.Cut(strings.Join(strings.Fields(line), " "), ": ")
			if slices.Contains(facts, name) {
				found[name] = value
			}
		}
	}
	return found
}

// isKey reports whether a key, a table or a list of tables of config.toml has that name.
func isKey(name string) bool {
	for key := range config.Keys() {
		if key == name || strings.HasPrefix(key, name+".") {
			return true
		}
	}
	return isRow(name)
}

// versions is what runs in .ci/run, as the files that pin it say.
func versions(t *testing.T) string {
	t.Helper()
	var pinned struct{ Dependencies map[string]string }
	var sdks []string
	if err := json.Unmarshal([]byte(read(t, "../testdata/interop/package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	for name, version := range pinned.Dependencies {
		if strings.Contains(name, "sdk") {
			sdks = append(sdks, version[strings.LastIndexByte(version, '@')+1:])
		}
	}
	slices.Sort(sdks)
	if err := json.Unmarshal([]byte(read(t, "../testdata/interop/codex/package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	acpx := regexp.MustCompile(`acpx@([\d.]+)`).FindStringSubmatch(read(t, "../.ci/env"))
	goSDK := regexp.MustCompile(`coder/acp-go-sdk v([\d.]+)`).FindStringSubmatch(read(t, "../go.mod"))
	if acpx == nil || goSDK == nil {
		t.Fatal("no version of acpx in .ci/env, or of acp-go-sdk in go.mod")
	}
	return table([]string{"peer", "version", "what runs"}, [][]string{
		{"TypeScript SDK", strings.Join(sdks, ", "), "clients with and without plan support, against an agent with all spellings: `testdata/interop/accepts.mjs`"},
		{"Go SDK (coder/acp-go-sdk)", goSDK[1], "both sides: `TestGoSDKPeers`"},
		{"acpx", acpx[1], "prints the plan of an agent"},
		{"codex-acp", pinned.Dependencies["@agentclientprotocol/codex-acp"], "initialize and a new session, recorded"},
	})
}
