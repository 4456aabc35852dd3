package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// fourSecrets is a session/new with four secrets.
var fourSecrets = `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/x","mcpServers":[{"name":"m","args":[],"env":[{"name":"FOO","value":"` + secretWord +
	`1"},{"value":"` + secretWord + `2","name":"BAR"}]},{"type":"http","headers":[{"name":"X-K","value":"` + secretWord + `3"}]}],"_meta":{"headers":{"Z":"` + secretWord + `4"}}}}`

// unclean has texts that are not valid JSON, with secrets in environments and headers.
var unclean = map[string]string{
	"a debug line, cut off":         "DEBUG recv: " + fourSecrets[:len(fourSecrets)-10] + "...",
	"cut off in a value":            fourSecrets[:strings.Index(fourSecrets, "4\"}")],
	"with another end":              fourSecrets[:len(fourSecrets)-2] + ", oops",
	"escaped":                       "esc " + strings.ReplaceAll(fourSecrets, `"`, `\"`),
	"escaped twice":                 "esc " + strings.ReplaceAll(fourSecrets, `"`, `\\\"`),
	"escaped, and in quotes":        `2026 [info] "msg": ` + quote(fourSecrets),
	"cut off, escaped, in a line":   `{"level":"debug","line":` + quote(fourSecrets[:len(fourSecrets)-12]) + `}`,
	"cut off twice":                 `{"level":"debug","line":` + strings.TrimSuffix(quote(fourSecrets), `"`),
	"over several lines":            "got\n" + indented(fourSecrets) + "\n",
	"over several lines, cut off":   "got\n" + strings.TrimRight(indented(fourSecrets), "} \n"),
	"over several lines, escaped":   "got " + quote(indented(fourSecrets)) + " oops",
	"in single quotes":              strings.ReplaceAll(fourSecrets, `"`, `'`),
	"Rust":                          `NewSession { servers: [Stdio { name: "m", env: [EnvVariable { name: "FOO", value: "` + secretWord + `" }], headers: [HttpHeader { name: "X-K", value: "` + secretWord + `" }] }] }`,
	"Rust, with types":              `env: Some([("FOO", "` + secretWord + `")]), headers: {"x-k": Sensitive("` + secretWord + `")}`,
	"Rust's JSON":                   `Object {"env": Array [Object {"name": String("FOO"), "value": String("` + secretWord + `")}], "apiKey": String("` + secretWord + `")}`,
	"Rust, a variable":              `spawning with EnvVariable { name: "FOO", value: "` + secretWord + `" }`,
	"Rust, pretty":                  "env: [\n    EnvVariable {\n        name: \"FOO\",\n        value: \"" + secretWord + "\",\n    },\n],",
	"Python":                        `{'env': [{'name': 'X', 'value': '` + secretWord + `'}], 'headers': {'X': '` + secretWord + `'}}`,
	"Python, objects":               `Server(env=[EnvVariable(name='X', value='` + secretWord + `')], headers=Headers({'a': b'` + secretWord + `'}))`,
	"Python, a variable":            `EnvVariable(name='X', value='` + secretWord + `')`,
	"Python, several lines":         "{'env': [{'name': 'X',\n          'value': '" + secretWord + "'}],\n 'a': 1}",
	"JavaScript":                    `{ env: { X: '` + secretWord + `', "Y": "` + secretWord + `" }, headers: { 'X-A': '` + secretWord + `' } }`,
	"JavaScript, maps":              `{ env: Map(1) { 'X' => '` + secretWord + `' }, headers: [Object: null prototype] { a: '` + secretWord + `' } }`,
	"JavaScript, a quote in it":     `{ env: { X: 'it\'s ` + secretWord + `' } }`,
	"Go":                            `map[env:map[X:` + secretWord + ` Y:some words ` + secretWord + `] headers:map[Accept:[a ` + secretWord + `]]]`,
	"Go, structs":                   `{m [] env:[{FOO ` + secretWord + `} {BAR x}]}`,
	"Go, structs with names":        `{Env:[{Name:FOO Value:` + secretWord + `}] Headers:map[]}`,
	"Go, as source":                 `Env: []acp.EnvVariable{acp.EnvVariable{Name:"FOO", Value:"` + secretWord + `"}}, Headers: map[string]string{"X": "` + secretWord + `"}`,
	"Go, headers":                   `got http.Header{"X-Foo":[]string{"` + secretWord + `", "b ` + secretWord + `"}, "Y":[]string{"` + secretWord + `"}}`,
	"a list behind the name":        `spawn env [{'name':'A','value':'` + secretWord + `'}]`,
	"a list behind an arrow":        `env -> [{"name":"A","value":"` + secretWord + `"}] "headers" [{"name":"B","value":"` + secretWord + `"}]`,
	"assignments":                   `env=[A=` + secretWord + ` B=some ` + secretWord + `]`,
	"assignments in quotes":         `env: ["A=` + secretWord + `", 'B=` + secretWord + `'], oops`,
	"lines of headers":              `headers: ["X-Any: ` + secretWord + `", "Y: ` + secretWord + `"`,
	"Java":                          `Server{name=m, env={FOO=` + secretWord + `, BAR=` + secretWord + `}}`,
	"a backslash at the end":        `"env":{"A":"x\\","B":"` + secretWord + `"}, oops`,
	"a bracket in a value":          `"env":{"A":"]}","B":"` + secretWord + `"}, oops`,
	"authenticate, cut off":         `recv {"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"m","_meta":{"any":"` + secretWord + `"},"x":["` + secretWord + `"`,
	"authenticate, escaped":         `{\"method\":\"auth/login\",\"params\":{\"any\":\"` + secretWord + `\"}}, oops`,
	"authenticate, as JavaScript":   `{ method: 'authenticate', params: { methodId: 'm', any: '` + secretWord + `' } }`,
	"a list of keys that is cut":    `{"api_keys":["` + secretWord + `"`,
	"an object of keys that is cut": `{"credentials":{"user":"` + secretWord + `","x":["` + secretWord + `"`,
}

func indented(line string) string {
	var b bytes.Buffer
	json.Indent(&b, []byte(line), "", "  ")
	return b.String()
}

func TestPairsInTextsThatAreNotJSON(t *testing.T) {
	for name, text := range unclean {
		t.Run(name, func(t *testing.T) { check(t, text, secretWord) })
	}
}

// A record has each line of standard error as a text.
func TestPairsOverSeveralTexts(t *testing.T) {
	for name, text := range unclean {
		r := newTest(t)
		var got []byte
		for line := range strings.Lines(text) {
			if !strings.Contains(name, "escaped") {
				got = r.Redact(got, []byte(line))
				r.Redact(nil, []byte(request("x", `{"a":1}`))) // a message between two lines
			}
		}
		if bytes.Contains(got, []byte(secretWord)) {
			t.Errorf("%s: the secret is still in\n%s", name, got)
		}
	}
	r := newTest(t)
	r.Redact(nil, []byte(`"env": {`+"\n"))
	if got := r.Redact(nil, []byte("A: 'b'\n")); string(got) != "A: 'b'\n" {
		t.Errorf("another line is %q", got)
	}
}

// Programs also have brackets after names such as env. These stay.
func TestProgramsStay(t *testing.T) {
	for _, text := range []string{
		`{"method":"initialize","params":{"a":"b1c2d3"}, oops`,
		`{"method":"authenticate"} and {"params":"x"}, {"params":{"a":"b1c2d3"}}, oops`,
		"env: production [x]\nheaders: 3 {a}",
		"fn spawn(env: &[EnvVariable], headers: Vec<HttpHeader>) -> (A, B)",
		"pub struct EnvVariable {\n    pub name: String,\n    pub value: String,\n}",
		"interface S { env: { name: string; value: string }[]; headers?: Record<string, string> }",
		"cmd.Env = append(os.Environ(), extra...)\nenv := newEnv(a, b)",
		"const env = { ...process.env, NO_COLOR: value };",
		`"headers":["Name","Age"], oops`,
		`const token = { type: "ident", value: "x" };`,
		`setThreadToken = dll.NewProc("SetThreadToken"); cookies := strings.Repeat("a", 2)`,
		"func Header{x: y} and Header{a: \"b1c2d3\"}; env [{name}] -> [{a: \"b1c2d3\"}]; tools [{a: \"b1c2d3\"}]",
		"env = []\nheaders = {}\nx = ['a']",
		"for (const [name, value] of env) { print('x') }",
	} {
		if got := string(newTest(t).Redact(nil, []byte(text))); got != text {
			t.Errorf("%s\nis\n%s", text, got)
		}
	}
}

// FuzzUnclean checks that an environment and headers are found in broken JSON, too.
func FuzzUnclean(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := planter{rand.New(rand.NewPCG(seed, 2))}
		secret := p.letters(36)
		name := p.pick("env", "headers", "ENV", "httpHeaders")
		other := p.pick(`"a":1,`, `"b":"some words", `, `"c": {"d":[true,null]},`, "")
		pairs := fmt.Sprintf(`{%s%q:{%q:%q}}`, other, name, p.letters(5), secret)
		if p.IntN(2) == 0 {
			pairs = fmt.Sprintf(`{%s%q: [{"name":%q, "value":%q}]}`, other, name, p.letters(5), secret)
		}
		line := pairs
		for range 1 + p.IntN(3) {
			switch p.IntN(6) {
			case 0:
				if at := strings.LastIndex(line, secret) + len(secret); strings.Count(line[:at], secret) == 1 {
					line = line[:min(at+p.IntN(3), len(line))]
				}
			case 1:
				line = "a " + quote(line) + " b"
			case 2:
				line = strings.ReplaceAll(strings.ReplaceAll(line, `\`, `\\`), `"`, `\"`)
			case 3:
				line += ", oops"
			case 4:
				line = "DEBUG " + line
			case 5:
				if indent := indented(line); indent != "" {
					line = indent
				}
			}
		}
		for _, line := range []string{line, chunk(line)} {
			if got := newTest(t).Redact(nil, []byte(line)); bytes.Contains(got, []byte(secret)) {
				t.Fatalf("%s is still there:\n%s\n%s", secret, line, got)
			}
		}
	})
}
