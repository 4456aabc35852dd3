package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// The secrets in the tests are invented. They are assembled here, so that secret scanners do not
// report the source files.
var (
	secretWord   = "Zq7" + "vB2nK4xW8mT1p"
	secretDigits = "8675" + "30991234"
	openAIKey    = "sk" + "-proj-" + secretWord + secretWord
	claudeKey    = "sk" + "-ant-" + "api03-" + secretWord + "_" + secretWord
	gitHubToken  = "gh" + "p_" + secretWord + secretWord + "a"
	gitHubFine   = "github" + "_pat_" + secretWord + secretWord + "_" + secretWord
	jsonWebToken = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJ4In0." + secretWord
	privateKey   = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + secretWord + "\n" + secretWord + "==\n-----END " + "RSA PRIVATE KEY-----"
	awsKeyID     = "AK" + "IA" + "ZQ7VB2NK4XW8MT1P"
	basicPair    = base64.StdEncoding.EncodeToString([]byte("alice:" + secretWord))
	sessionUUID  = "0199" + "2f51-373e-772d-9632-bb7d38a8d47b"
)

var TestOptions = Options{
	Keys:     []string{"Licence-Number"},
	Patterns: []string{`PROJ-\d{4,}`, `hush\w+`},
	Home:     "/home/alice",
	User:     "alice",
	Salt:     []byte("pepper"),
}

func newTest(t testing.TB) *Redactor {
	r, err := New(TestOptions)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// chunk returns a message of the agent with a text.
func chunk(text string) string {
	return request("session/update", `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":`+quote(text)+`}}}`)
}

// escaped returns a string with every letter as \uXXXX.
func escaped(s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

// servers returns a session/new with one MCP server.
func servers(server string) string {
	return request("session/new", `{"cwd":"/x","mcpServers":[`+server+`]}`)
}

// A Plant is a line or a text with a secret.
type Plant struct{ Name, In, Secret string }

// Planted has a secret for every place in ACP. The tests of exports use it, too.
var Planted = []Plant{
	{"env of an MCP server", servers(`{"name":"a","command":"npx","args":[],"env":[{"name":"LANG","value":"` + secretWord + `"}]}`), secretWord},
	{"env with the value first", servers(`{"env":[{"value":"` + secretWord + `","name":"LANG"}]}`), secretWord},
	{"env as an object", servers(`{"env":{"LANG":"` + secretWord + `"}}`), secretWord},
	{"env with a variable called name", servers(`{"env":{"name":"` + secretWord + `"}}`), secretWord},
	{"env as assignments", servers(`{"env":["LANG=` + secretWord + `"]}`), secretWord},
	{"env as escaped assignments", servers(`{"env":["A\u003d` + secretWord + `=b"]}`), secretWord},
	{"escaped flag", servers(`{"args":["\u002d-\u0061pi-key","` + secretWord + `"]}`), secretWord},
	{"env with a number", servers(`{"env":{"PIN":` + secretDigits + `}}`), secretDigits},
	{"env under an escaped name", servers(`{"` + escaped("env") + `":[{"name":"A","` + escaped("value") + `":"` + secretWord + `"}]}`), secretWord},
	{"header of an MCP server", servers(`{"type":"http","name":"a","url":"https://h/","headers":[{"name":"X-Any","value":"` + secretWord + `"}]}`), secretWord},
	{"headers as an object", servers(`{"headers":{"X-Any":"` + secretWord + `"}}`), secretWord},
	{"headers as lines", servers(`{"headers":["Authorization: Bearer ` + secretWord + `"]}`), secretWord},
	{"user of an MCP server's URL", servers(`{"url":"https://bob:` + secretWord + `@host/sse"}`), secretWord},
	{"token as the user of a URL", servers(`{"url":"https://` + secretWord + `Ab@host/"}`), secretWord},
	{"query of an MCP server's URL", servers(`{"url":"https://host/sse?v=1&api_key=` + secretWord + `&x=2"}`), secretWord},
	{"key in a query", servers(`{"url":"https://host/?key=` + secretWord + `"}`), secretWord},
	{"token in a fragment", servers(`{"url":"https://host/cb#access_token=` + secretWord + `"}`), secretWord},
	{"flag of an MCP server", servers(`{"args":["--api-key","` + secretWord + `"]}`), secretWord},
	{"flag with an equals sign", servers(`{"args":["--token=` + secretWord + `"]}`), secretWord},
	{"variable in the arguments", servers(`{"args":["run","-e","GITHUB_TOKEN=` + secretWord + `","image"]}`), secretWord},
	{"env of terminal/create", request("terminal/create", `{"command":"x","env":[{"name":"PATHS","value":"`+secretWord+`"}]}`), secretWord},
	{"command of terminal/create", request("terminal/create", `{"command":"curl -H 'Authorization: Bearer `+secretWord+`' https://h"}`), secretWord},
	{"arguments of terminal/create", request("terminal/create", `{"command":"mysql","args":["--password","`+secretWord+`"]}`), secretWord},
	{"output of a terminal", `{"id":1,"result":{"output":` + quote("$ env\nAPI_SECRET="+secretWord+"\n") + `}}`, secretWord},
	{"authenticate", request("authenticate", `{"methodId":"m","anything":"`+secretWord+`"}`), secretWord},
	{"authenticate, deeper", request("authenticate", `{"methodId":"m","_meta":{"a":[{"b":"`+secretWord+`"}]}}`), secretWord},
	{"authenticate, the method last", `{"params":{"methodId":"m","x":"` + secretWord + `"},"method":"authenticate"}`, secretWord},
	{"authenticate, escaped", `{"method":"` + escaped("authenticate") + `","params":{"x":"` + secretWord + `"}}`, secretWord},
	{"auth/login", request("auth/login", `{"methodId":"m","code":"`+secretWord+`"}`), secretWord},
	{"authenticate with a number", request("authenticate", `{"pin":`+secretDigits+`}`), secretDigits},
	{"authenticate in a batch", `[` + request("authenticate", `{"x":"`+secretWord+`"}`) + `]`, secretWord},
	{"proxyConfig of JetBrains", request("initialize", `{"_meta":{"proxyConfig":{"proxies":[{"proxy":{"url":"http://127.0.0.1","headers":{"proxy_key":"`+secretWord+`"}}}]}}}`), secretWord},
	{"credentials in _meta", request("session/new", `{"_meta":{"credentials":{"user":"u","x":"`+secretWord+`"}}}`), secretWord},
	{"env of a terminal login", `{"id":0,"result":{"authMethods":[{"id":"t","type":"terminal","args":[],"env":{"A":"` + secretWord + `"}}]}}`, secretWord},
	{"headers of providers/set", request("providers/set", `{"providerId":"p","baseUrl":"https://h","headers":{"x-route":"`+secretWord+`"}}`), secretWord},
	{"answer to an elicitation", `{"id":3,"result":{"action":"accept","content":{"password":"` + secretWord + `"}}}`, secretWord},
	{"configuration option", request("session/set_config_option", `{"configId":"api_key","value":"`+secretWord+`"}`), secretWord},
	{"value before its name", request("x", `{"a":{"value":"`+secretWord+`","name":"API-Key"}}`), secretWord},
	{"authorization", request("x", `{"Authorization":"`+secretWord+`"}`), secretWord},
	{"escaped authorization", request("x", `{"\u0061uthorization":"`+secretWord+`"}`), secretWord},
	{"cookie", request("x", `{"set-cookie":["sid=`+secretWord+`"]}`), secretWord},
	{"apiKey", request("x", `{"apiKey":"`+secretWord+`"}`), secretWord},
	{"OPENAI_API_KEY", request("x", `{"OPENAI_API_KEY":"`+secretWord+`"}`), secretWord},
	{"x-api-key", request("x", `{"X-Api-Key":"`+secretWord+`"}`), secretWord},
	{"refreshToken", request("x", `{"refreshToken":"`+secretWord+`"}`), secretWord},
	{"id_token in a list", request("x", `{"id_token":["`+secretWord+`"]}`), secretWord},
	{"client_secret as an object", request("x", `{"client_secret":{"v":"`+secretWord+`"}}`), secretWord},
	{"password as a number", request("x", `{"password":`+secretDigits+`}`), secretDigits},
	{"private_key", request("x", `{"private_key":"`+secretWord+`"}`), secretWord},
	{"docker's auth", request("x", `{"auths":{"h":{"auth":"`+secretWord+`"}}}`), secretWord},
	{"session_token", request("x", `{"SESSION-TOKEN":"`+secretWord+`"}`), secretWord},
	{"a key of the user's", request("x", `{"licence_number":"`+secretWord+`"}`), secretWord},
	{"a pattern of the user's", chunk("see hush" + secretWord), secretWord},
	{"default of a schema", request("x", `{"properties":{"token":{"type":"string","default":"`+secretWord+`"}}}`), secretWord},
	{"very deep", request("x", strings.Repeat(`{"a":[`, 3000)+`{"token":"`+secretWord+`"}`+strings.Repeat(`]}`, 3000)), secretWord},
	{"too deep for JSON", request("x", strings.Repeat(`[`, 20000)+`{"token":"`+secretWord+`"}`), secretWord},
	{"OpenAI's key", chunk("my key is " + openAIKey + "."), openAIKey},
	{"OpenAI's key behind an escape", chunk("a\n" + openAIKey), openAIKey},
	{"OpenAI's key, escaped", request("x", `{"text":"`+escaped(openAIKey)+`"}`), escaped(openAIKey)},
	{"Anthropic's key", chunk("(" + claudeKey + ")"), claudeKey},
	{"GitHub's token", chunk(gitHubToken), gitHubToken},
	{"GitHub's fine token", chunk("x=" + gitHubFine), gitHubFine},
	{"GitHub's token as a name", request("x", `{"`+gitHubToken+`":1}`), gitHubToken},
	{"GitLab's token", chunk("gl" + "pat-" + secretWord + secretWord), secretWord},
	{"Slack's hook", chunk("POST https://hooks.slack.com/services/T00/B00/" + secretWord + " failed"), secretWord},
	{"Discord's hook", request("x", `{"url":"https://discord.com/api/webhooks/123/`+secretWord+`"}`), secretWord},
	{"age's key", chunk("AGE-SECRET" + "-KEY-1" + strings.ToUpper(secretWord+secretWord)), strings.ToUpper(secretWord)},
	{"Square's token", chunk("sq0" + "atp-" + secretWord), secretWord},
	{"curl's user", chunk("curl -u bob:" + secretWord + " https://h"), secretWord},
	{"curl's long user", chunk("curl --user 'bob:hunter " + secretWord + "' https://h; curl --user=bob:" + secretWord), secretWord},
	{"curl's proxy", request("terminal/create", `{"command":"sh","args":["-c","curl --proxy-user bob@x.org:`+secretWord+` h"]}`), secretWord},
	{"curl's user in arguments", request("terminal/create", `{"command":"curl","args":["-u","bob:`+secretWord+`"]}`), secretWord},
	{"sshpass", chunk("sshpass -p " + secretWord + " ssh -p 22 h"), secretWord},
	{"sshpass in arguments", request("terminal/create", `{"command":"/usr/bin/sshpass","args":["-p","`+secretWord+`","ssh"]}`), secretWord},
	{"a user of what may be no group", chunk("deploy -u bob:" + secretWord), secretWord},
	{"a short password behind a URL", chunk("wget https://h --user bob:opensesame"), "opensesame"},
	{"pydantic's type", chunk("got SecretStr=" + secretWord), secretWord},
	{"mysql", chunk("a; mysql -u root -p" + secretWord + " db"), secretWord},
	{"mysql in arguments", request("x", `{"command":["mysql","-uroot","-p`+secretWord+`"]}`), secretWord},
	{"docker login", chunk("docker login -u bob -p " + secretWord), secretWord},
	{"docker login in arguments", request("x", `{"command":["docker","login","-p","`+secretWord+`"]}`), secretWord},
	{"netrc", chunk("machine h\n  login bob\n  password " + secretWord + "\n"), secretWord},
	{"a password in words", chunk("with the password " + secretWord + "."), secretWord},
	{"an API key in words", chunk("API key: " + secretWord + ", api key = " + secretWord), secretWord},
	{"Slack's token", chunk("xo" + "xb-1234-" + secretWord), secretWord},
	{"AWS's key", chunk("id " + awsKeyID + ","), awsKeyID},
	{"AWS's short key", chunk("AS" + "IA" + awsKeyID[4:]), awsKeyID[4:]},
	{"AWS's secret key", chunk("aws_secret_access_key = " + secretWord), secretWord},
	{"JSON web token", chunk("t " + jsonWebToken), jsonWebToken},
	{"bearer", chunk("sent bearer " + secretWord), secretWord},
	{"basic", chunk("Authorization: Basic " + basicPair), basicPair},
	{"basic alone", chunk("with Basic " + basicPair), basicPair},
	{"Google's key", chunk("AI" + "za" + secretWord + secretWord + "abcd"), secretWord},
	{"npm's token", chunk("//registry/:_authToken=npm" + "_" + secretWord + secretWord + "abcd"), secretWord},
	{"Hugging Face's token", chunk("h" + "f_" + secretWord + secretWord), secretWord},
	{"private key", chunk("key:\n" + privateKey + "\nend"), secretWord},
	{"private key without an end", chunk(privateKey[:60]), secretWord},
	{"database", chunk("postgres://app:" + secretWord + "@db:5432/x"), secretWord},
	{"dotenv", chunk("A=1\nexport DB_PASSWORD='" + secretWord + " x'\n"), secretWord},
	{"YAML", chunk("db:\n  password: " + secretWord + "\n"), secretWord},
	{"code", chunk(`client(api_key="` + secretWord + `")`), secretWord},
	{"cookie in a dump", chunk("> Cookie: a=b; sid=" + secretWord + "\n> x"), secretWord},
	{"flag in a command", chunk("tool --access-token " + secretWord + " run"), secretWord},
	{"JSON in rawOutput", request("session/update", `{"update":{"rawOutput":{"text":`+quote(`{"a":{"credentials":{"x":"`+secretWord+`"}}}`)+`}}}`), secretWord},
	{"JSON in JSON in JSON", chunk(`{"a":` + quote(`{"b":`+quote(`{"env":[{"name":"A","value":"`+secretWord+`"}]}`)+`}`) + `}`), secretWord},
	{"escaped name in JSON in a string", chunk(`log {"\u0061pi_key":"` + secretWord + `"} end`), secretWord},
	{"a line of JSON lines", chunk("{\"a\":1}\n{\"token\":\"" + secretWord + "\"}\n"), secretWord},
	{"JSON that is cut off", chunk(`{"a":1,"api_key":"` + secretWord + `","b":`), secretWord},
	{"escaped JSON that is cut off", chunk(`{"a":"{\"api_key\":\"` + secretWord + `\",`), secretWord},
	{"error", `{"id":1,"error":{"code":-32000,"message":"401","data":{"headers":{"x":"` + secretWord + `"}}}}`, secretWord},
	{"error text", `{"id":1,"error":{"code":-32000,"message":"Incorrect API key provided: ` + openAIKey + `"}}`, openAIKey},
	{"file content", request("fs/write_text_file", `{"path":"/x/.env","content":`+quote("STRIPE=sk"+"_live_"+secretWord+"\n")+`}`), secretWord},
	{"diff", request("session/update", `{"update":{"content":[{"type":"diff","oldText":"","newText":"TOKEN=`+secretWord+`"}]}}`), secretWord},
	{"permission", request("session/request_permission", `{"toolCall":{"rawInput":{"command":["sh","-c","API_KEY=`+secretWord+` ./run"]}}}`), secretWord},
	{"not JSON: standard error", "2026-01-01 ERROR request failed: Authorization: Bearer " + secretWord, secretWord},
	{"not JSON: a coloured log", "\x1b[31m" + gitHubToken + "\x1b[0m", gitHubToken},
	{"not JSON: a log with JSON", `DEBUG {"headers":{"x":"` + secretWord + `"}}`, secretWord},
	{"not JSON: a broken message", `{"jsonrpc":"2.0","method":"x","params"{"password":"` + secretWord + `"}}`, secretWord},
	{"not JSON: two values", `{"a":1} {"token":"` + secretWord + `"}`, secretWord},
	{"session id of a request", request("session/prompt", `{"sessionId":"`+sessionUUID+`"}`), sessionUUID},
	{"session id of a result", `{"id":1,"result":{"sessionId":"` + sessionUUID + `"}}`, sessionUUID},
	{"session id before its name", request("x", `{"log":"~/s/`+sessionUUID+`.jsonl","sessionId":"`+sessionUUID+`"}`), sessionUUID},
	{"session ids of a list", `{"id":1,"result":{"sessions":[{"sessionId":"` + sessionUUID + `"}]}}`, sessionUUID},
	{"session id in a log", "started session_id=" + sessionUUID, sessionUUID},
	{"short session id", request("x", `{"sessionId":"qz"}`), "qz"},
	{"session id as a number", request("x", `{"sessionId":`+secretDigits+`}`), secretDigits},
	{"home", request("session/new", `{"cwd":"/home/alice/work"}`), "alice"},
	{"home on macOS", chunk("in /Users/alice/work"), "alice"},
	{"home on Windows", chunk(`C:\Users\alice\work`), "alice"},
	{"home on Windows, escaped again", chunk(`"C:\\Users\\alice\\work`), "alice"},
	{"home on Windows in lower case", chunk(`c:/users/alice/work`), "alice"},
	{"home in a file URI", chunk("file:///home/alice/a%20b"), "alice"},
	{"home in an encoded URI", chunk("vscode://file%2Fhome%2Falice%2Fx"), "alice"},
	{"home on Windows in a file URI", chunk("file:///c%3A/Users/alice/x"), "alice"},
	{"home of somebody else", chunk("/home/bobby/x and /Users/bobby"), "bobby"},
	{"home with a space", chunk(`C:\Users\Bobby Tables\x`), "Tables"},
	{"user elsewhere in a path", chunk("/var/mail/alice and /media/alice/usb"), "alice"},
	{"home in a project's folder", chunk("~/.claude/projects/-home-alice-work/1"), "alice"},
	{"home as a name", request("x", `{"changes":{"/home/alice/a.go":1}}`), "alice"},
}

func TestNoPlantedSecretSurvives(t *testing.T) {
	if len(Planted) < 50 {
		t.Fatalf("%d secrets", len(Planted))
	}
	for _, p := range Planted {
		t.Run(p.Name, func(t *testing.T) {
			if !strings.Contains(p.In, p.Secret) && !strings.Contains(p.In, quote(p.Secret)[1:5]) {
				t.Fatal("the secret is not planted")
			}
			check(t, p.In, p.Secret)
		})
	}
}

// check redacts a text alone and in messages, and tests the results.
func check(t *testing.T, in, secret string) {
	t.Helper()
	for _, line := range []string{in, in + "\n", "\xef\xbb\xbf" + in + "\r\n", `[` + in + `]`, chunk(in), chunk(chunk(in)), `{"raw":` + quote("stderr: "+in+"\n") + `}`} {
		r := newTest(t)
		got := string(r.Redact(nil, []byte(line)))
		if strings.Contains(got, secret) {
			t.Errorf("the secret is still in %.2000s", got)
		}
		if len(r.Tally().Kinds) == 0 {
			t.Errorf("there is no marker")
		}
		if json.Valid([]byte(line)) && !json.Valid([]byte(got)) {
			t.Errorf("the result is not JSON: %.2000s", got)
		}
		if again := string(r.Redact(nil, []byte(got))); again != got {
			t.Errorf("redacting again changes it:\n%.2000s\n%.2000s", got, again)
		}
	}
}

// harmless has lines that must not change.
var harmless = []string{
	request("session/update", `{"update":{"sessionUpdate":"usage_update","used":53000,"size":200000,"cost":{"amount":0.1,"currency":"USD"}}}`),
	`{"id":1,"result":{"stopReason":"max_tokens","usage":{"totalTokens":9,"inputTokens":1,"outputTokens":2,"thoughtTokens":3,"cachedReadTokens":4}}}`,
	request("x", `{"tokens":12,"maxTokens":4096,"max_tokens":4096,"tokenCount":7,"token_count":7,"tokensUsed":1,"tokenBudget":5,"TOKENS":3}`),
	request("x", `{"_meta":{"progressToken":"p-1"},"costPerToken":0.01,"timeToFirstToken":210,"tokenType":"Bearer","token_url":"https://h/token"}`),
	request("x", `{"token":null,"password":"","secret":false,"credentials":{},"cookies":[],"hasPassword":true}`),
	request("initialize", `{"clientCapabilities":{"auth":{"terminal":true,"_meta":{"gateway":true}},"session":{"notices":{}}}}`),
	`{"id":0,"result":{"authMethods":[{"id":"api-key","name":"Use an API key","description":"Set OPENAI_API_KEY or run login"}]}}`,
	request("authenticate", `{"methodId":"chat-gpt"}`),
	request("x", `{"inputSchema":{"type":"object","properties":{"token":{"type":"string","description":"The token to use"},"env":{"type":"object"}},"required":["token"]}}`),
	request("x", `{"id":"550e8400-e29b-41d4-a716-446655440000","toolCallId":"call_1f2e3d4c5b6a79808f7e6d5c","messageId":"019a-b"}`),
	chunk("commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by Bob"),
	chunk("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
	chunk("The token is passed to the parser, the secret of good code is a password nobody knows."),
	chunk("SyntaxError: Unexpected token: 'foo' at line 3"),
	chunk("token := lexer.Next()\nif token == EOF { return }\nvar password string"),
	chunk("interface A { apiKey: string; token?: string; password: Hash }"),
	chunk("api_key=settings.API_KEY, token=token, secret=get_secret('x')"),
	chunk("export API_KEY=$OTHER_KEY\nAPI_KEY=${API_KEY}\n"),
	chunk("use --token to pass a token, or --password-file"),
	chunk("Bearer authentication and basic understanding of Basic authentication"),
	chunk("docker run -u 1000:1000 -p 8080:80 x; mkdir -p aB3dE6; ssh -p 2222 h; id -u; mysql -p; docker login -p"),
	chunk("sudo -u bob ls; rsync -a host1:/x7 /y; curl -u $USER:$PASS h; curl -u bob h"),
	chunk("sort -u a:b; chown -u a:b f; x -u root:root; docker run --user app:staff x; key: SecretStr = None"),
	request("terminal/create", `{"command":"sort","args":["-u","a:b"]}`),
	chunk("func Import(name string, password *uint16, flags uint32)"),
	chunk("a != nil && key == row.key && other; f(a, key == b1c2d3)"),
	chunk("the password is weak, set a password for it; primary key: id, key: value9x"),
	request("terminal/create", `{"command":"mkdir","args":["-p","aB3dE6"]}`),
	request("terminal/create", `{"command":"docker","args":["run","-u","1000:1000","-p","8080:80","x"]}`),
	chunk("risk-averse task-oriented desk-bound sk-circle-fade-dot sk-learn"),
	chunk("npm_config_registry npm_lifecycle_event hf_hub_download ghp_ sk-"),
	chunk("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"),
	chunk("https://example.com/a?page=2&sort=key#top git@github.com:a/b.git ssh://git@host/x"),
	chunk("mailto:bob@example.com, see https://h/@scope/pkg@1.2.3"),
	chunk("/usr/home /home /home/ /Users/Shared/x /home/user/x ~/work /homeland/x"),
	chunk("malice /tmp/aliceblue palice/ and alice said so"),
	chunk(`{"a":1,"b":[true,null],"c":{"d":"e"}} and {not json} {"broken":`),
	chunk("eyJ is how they begin; key: value; keyboard: qwerty; monkey=1"),
	request("session/set_mode", `{"modeId":"ask","value":"on","name":"Mode"}`),
	request("x", `{"image":{"type":"image","mimeType":"image/png","data":"`+strings.Repeat("iVBORw0KGgo/AB+x", 400)+`=="}}`),
	request("x", `{"headers":["Name","Age"],"env":"production","environment":"staging"}`),
	request("x", `{"options":[{"value":"by_key","name":"Some Provider (API Key)"}],"review":{"userAuthorization":"high"}}`),
	request("session/update", `{"update":{"sessionUpdate":"plan","entries":[{"content":"Rotate the token","priority":"high","status":"pending"}]}}`),
	" { \"jsonrpc\" : \"2.0\" ,\t\"id\" : 1.0e0, \"x\":\"\\u0061\\/\\ud83d\\ude00\\ud800 \xff\" } \r\n",
	"npm WARN deprecated a@1.0.0: no longer supported",
	"panic: runtime error\n\tmain.go:12 +0x1d\ngoroutine 1 [running]:",
	"",
	"\n",
	"{",
}

func TestHarmlessThingsStay(t *testing.T) {
	if len(harmless) < 30 {
		t.Fatalf("%d things", len(harmless))
	}
	for _, line := range harmless {
		r := newTest(t)
		if got := string(r.Redact([]byte("dst"), []byte(line))); got != "dst"+line || r.Tally().String() != "nothing" {
			t.Errorf("%.1000s is\n%.1000s", line, got)
		}
	}
}

func TestReplacements(t *testing.T) {
	r := newTest(t)
	id := r.sessions.fingerprint(sessionUUID)
	for _, c := range []struct {
		in, want string
		marks    map[Kind]int
	}{
		{`{"env":[{"name":"A", "value": "x"}, {"name":"B","value":""}]}`, `{"env":[{"name":"A", "value": "[redacted:env]"}, {"name":"B","value":""}]}`, map[Kind]int{Env: 1}},
		{`{"headers":{"a":"x"},"token":1.50 }`, `{"headers":{"a":"[redacted:header]"},"token":"[redacted:key]" }`, map[Kind]int{Header: 1, Key: 1}},
		{`{"method":"authenticate","params":{"methodId":"m","a":{"b":"c","d":true}}}`, `{"method":"authenticate","params":{"methodId":"m","a":{"b":"[redacted:auth]","d":true}}}`, map[Kind]int{Auth: 1}},
		{`{"a":"\n\u0061\ud83d\ude00 ` + gitHubToken + `\n"}`, `{"a":"\n\u0061\ud83d\ude00 [redacted:token]\n"}`, map[Kind]int{Token: 1}},
		{`{"a":"{\"token\":\"x\\ny\",\"b\":1}"}`, `{"a":"{\"token\":\"[redacted:key]\",\"b\":1}"}`, map[Kind]int{Key: 1}},
		{`{"a":"https://u:p@h/?a=1&sig=2"}`, `{"a":"https://[redacted:url]@h/?a=1&sig=[redacted:url]"}`, map[Kind]int{URL: 2}},
		{`{"a":"PROJ-12345 C:\\Users\\alice\\x"}`, `{"a":"[redacted:pattern] C:\\Users\\user\\x"}`, map[Kind]int{Pattern: 1, Home: 1}},
		{`{"sessionId":"` + sessionUUID + `","a":"/x/` + sessionUUID + `"}`, `{"sessionId":"` + id + `","a":"/x/` + id + `"}`, map[Kind]int{Session: 2}},
		{`TOKEN=x;/home/alice/y`, `TOKEN=[redacted:env];/home/user/y`, map[Kind]int{Env: 1, Home: 1}},
		{`{"a":[{"id":"x"}]}`, `{"a":[{"id":"x"}]}`, nil},
	} {
		got := string(r.Redact(nil, []byte(c.in)))
		if marks := r.Tally().Kinds; got != c.want || !maps.Equal(marks, c.marks) {
			t.Errorf("%s is\n%s, marked %v, want\n%s, marked %v", c.in, got, marks, c.want, c.marks)
		}
	}
}

func TestFingerprintsOfSessions(t *testing.T) {
	r := newTest(t)
	message := []byte(request("session/prompt", `{"sessionId":"`+sessionUUID+`"}`))
	first := string(r.Redact(nil, message))
	if again := string(newTest(t).Redact(nil, message)); again != first {
		t.Errorf("not stable: %s, %s", first, again)
	}
	unsalted, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if other := string(unsalted.Redact(nil, message)); other == first || strings.Contains(other, sessionUUID) {
		t.Errorf("with another salt: %s", other)
	}
	if got := string(r.Redact(nil, []byte("open "+sessionUUID))); got != "open "+r.sessions.fingerprint(sessionUUID) {
		t.Errorf("in a text: %s", got)
	}
	// A text that only looks like a fingerprint is an id.
	fake := fingerprintPrefix + "012345678" + "9ab"
	if got := string(r.Redact(nil, []byte(`{"sessionId":"`+fake+`"}`))); strings.Contains(got, fake) {
		t.Errorf("a false fingerprint stays: %s", got)
	}
	// An id that is a prefix of another, before a text that sorts after both.
	r.learn("an-id-of-some-length")
	r.learn("an-id-of-some-length-1")
	if got, want := string(r.Redact(nil, []byte("an-id-of-some-length-2"))), r.sessions.fingerprint("an-id-of-some-length")+"-2"; got != want {
		t.Errorf("a prefix of another: %s, want %s", got, want)
	}
	// More ids than are remembered, all with the same prefix.
	for i := range 2 * maxSessions {
		r.Redact(nil, fmt.Appendf(nil, `{"sessionId":"prefix-of-all-ids-%d"}`, i))
	}
	if len(r.sessions.sorted) != maxSessions || len(r.sessions.order) != maxSessions {
		t.Errorf("%d sessions are known", len(r.sessions.sorted))
	}
	for _, id := range []string{"prefix-of-all-ids-2047", "prefix-of-all-ids-1100"} {
		if got, want := string(r.Redact(nil, []byte("x "+id+"y"))), "x "+r.sessions.fingerprint(id)+"y"; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
}

// A line may be redacted before its id is known, and other lines afterwards.
func TestAnIDIsRecalledByItsFingerprint(t *testing.T) {
	first := newTest(t)
	before := []byte("started " + sessionUUID + "\\n" + sessionUUID)
	lines := [][]byte{first.Redact(nil, before), first.Redact(nil, []byte(`{"sessionId":"`+sessionUUID+`"}`))}
	if !bytes.Equal(lines[0], before) {
		t.Fatalf("the id was known: %s", lines[0])
	}
	again := newTest(t)
	for range 2 {
		got := ""
		for _, line := range lines {
			got += string(again.Redact(nil, line))
		}
		if id := again.sessions.fingerprint(sessionUUID); got == "started "+id+"\\n"+id+`{"sessionId":"`+id+`"}` {
			return
		} else if strings.Contains(got, again.sessions.fingerprint(id)) {
			t.Fatalf("a fingerprint of a fingerprint in %s", got)
		}
	}
	t.Errorf("%s is not recalled", sessionUUID)
}

func TestWrongPatterns(t *testing.T) {
	if _, err := New(Options{Patterns: []string{"a", "(b"}}); err == nil || !strings.Contains(err.Error(), `pattern "(b"`) {
		t.Errorf("error %v", err)
	}
	r, err := New(Options{Patterns: []string{"a*", "redacted"}})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Redact(nil, []byte("baab redacted TOKEN=x"))
	if want := "b[redacted:pattern]b [redacted:pattern] TOKEN=[redacted:env]"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again := r.Redact(nil, got); !bytes.Equal(again, got) {
		t.Errorf("again: %s", again)
	}
}
