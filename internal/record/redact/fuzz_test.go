package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// FuzzRedact checks that a redacted line is as valid as before, does not change when it is redacted
// again, and differs only where markers replace secrets.
func FuzzRedact(f *testing.F) {
	for _, p := range Planted {
		if len(p.In) < 2000 {
			f.Add([]byte(p.In))
		}
	}
	for _, line := range harmless {
		if len(line) < 2000 {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newTest(t)
		given := bytes.Clone(line)
		got := r.Redact([]byte("before"), line)
		if !bytes.Equal(given, line) {
			t.Fatalf("the line was changed: %q is %q", given, line)
		}
		got, ok := bytes.CutPrefix(got, []byte("before"))
		if !ok {
			t.Fatal("the bytes in dst were changed")
		}
		if json.Valid(line) && !json.Valid(got) {
			t.Fatalf("valid %q became invalid %q", line, got)
		}
		if len(r.Tally().Kinds) == 0 && !bytes.Equal(got, line) {
			t.Fatalf("there is no marker, %q became %q", line, got)
		}
		if !isReplaced(line, got) {
			t.Fatalf("changed outside of secrets: %q became %q", line, got)
		}
		if !json.Valid(line) {
			return // without a secret, half a value may be a complete one
		}
		if again := r.Redact(nil, got); !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, and then %q", line, got, again)
		}
	})
}

// replacements matches texts that replace secrets and home folders.
var replacements = regexp.MustCompile(`(\\*")?(\[redacted:\w+\]|session-[0-9a-f]{12})(\\*")?|/home/user|user`)

// isReplaced reports whether got is line with some spans replaced: line has the texts between the
// replacements in the same order.
func isReplaced(line, got []byte) bool {
	for _, kept := range replacements.Split(string(got), -1) {
		i := bytes.Index(line, []byte(kept))
		if i < 0 {
			return false
		}
		line = line[i+len(kept):]
	}
	return true
}

// A planter generates random messages with one secret.
type planter struct{ *rand.Rand }

func (p planter) pick(from ...string) string { return from[p.IntN(len(from))] }

// letters returns a random text with a digit, a capital and a small letter.
func (p planter) letters(n int) string {
	b := []byte("a7Q")
	for len(b) < n {
		b = append(b, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[p.IntN(62)])
	}
	return string(b)
}

// spell returns a JSON string with some characters escaped.
func (p planter) spell(text string) string {
	if p.IntN(3) > 0 {
		return quote(text)
	}
	var b strings.Builder
	for _, c := range text {
		if c >= 0x80 || p.IntN(3) > 0 && c >= ' ' && c != '"' && c != '\\' {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\u%04X`, c)
		}
	}
	return `"` + b.String() + `"`
}

// noise returns a value without a secret.
func (p planter) noise(depth int) string {
	switch n := p.IntN(8); {
	case n == 0 && depth > 0:
		return "[" + p.noise(depth-1) + " ," + p.noise(depth-1) + "]"
	case n == 1 && depth > 0:
		return "{" + p.spell("a") + ":" + p.noise(depth-1) + "}"
	case n == 2:
		return p.pick("1.50", "true", "null", "-0", "1E400", "{}", "[ ]")
	default:
		return p.spell(p.pick("some words", "a: b", "x = {", "{\"a\":[1]}", "\\", "C:\\x", "é\n\t", "https://h/?a=b", "tokens: 5", "--x", "'", "`", ""))
	}
}

// object returns an object with the member and others.
func (p planter) object(name, value string) string {
	members := []string{p.spell(name) + p.pick(":", " : ", ":\t") + value}
	for range p.IntN(3) {
		members = append(members, p.spell(p.pick("a", "b", "type", "content"))+":"+p.noise(2))
	}
	p.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, p.pick(",", ", ", " ,\t")) + "}"
}

// text returns a text with a secret that has a known format or name.
func (p planter) text(secret string) string {
	before, after := p.pick("", "see ", "a\n", "\"", "(", "{\"x\":1} ", "https://h/ "), p.pick("", " then", "\n", "\"", ")", ",", " {\"x\":1}")
	return before + p.pick(
		"sk"+"-"+secret, "gh"+"p_"+secret, "xo"+"xb-1-"+secret, "ey"+"JhbGciOiJ9.ey"+"J9."+secret, "gl"+"pat-"+secret,
		"Bearer "+secret, "API_KEY="+secret, "export X_TOKEN='"+secret+"'", "password: "+secret, `"api_key": "`+secret+`"`,
		"https://u:"+secret+"@h/x", "https://h/x?token="+secret+"&y=1", "--token "+secret, "Authorization: Basic "+secret+"1",
		"-----BEGIN "+"PRIVATE KEY-----\n"+secret+"\n-----END "+"PRIVATE KEY-----", "session_id="+secret,
		"<password>"+secret+"</password>", "<add key='ApiKey' value='"+secret+"'/>", "define('API_KEY', '"+secret+"')", "| password | "+secret+" |", "IDENTIFIED BY '"+secret+"'", "curl -u bob:"+secret+" h",
		"mysql -p"+secret, "docker login -p "+secret, "\x1b[32mpassword\x1b[0m="+secret, "'dbPassword' => '"+secret+"'", "set -x API_KEY "+secret, "Authorization: Digest username=\"b\", response=\""+secret+"\"", "client_secret: |\n  "+secret+"\n",
	) + after
}

// message returns a message with a secret in one of ACP's places.
func (p planter) message(secret string) string {
	v := p.spell(secret)
	pairs := func(list string) string {
		if p.IntN(2) == 0 {
			return p.object(list, p.object(p.letters(5), v))
		}
		members := []string{p.spell("name") + ":" + p.spell(p.pick("LANG", "X-Y")), p.spell("value") + ":" + v}
		p.Shuffle(2, func(i, j int) { members[i], members[j] = members[j], members[i] })
		return p.object(list, "[{"+strings.Join(members, ",")+"}]")
	}
	var params string
	method := p.pick("session/new", "session/update", "terminal/create", "x/y")
	switch p.IntN(8) {
	case 0:
		params = p.object("mcpServers", "["+pairs(p.pick("env", "headers"))+"]")
	case 1:
		params = pairs("env")
	case 2:
		method = p.pick("authenticate", "auth/login")
		params = p.object(p.letters(4), p.object("b", "["+v+"]"))
	case 3:
		params = p.object("_meta", p.object("proxyConfig", p.object("proxies", "["+p.object("proxy", pairs("headers"))+"]")))
	case 4:
		name := p.pick("authorization", "Cookie", "API_KEY", "apiKey", "x-api-key", "access_token", "refreshToken", "client_secret", "passwd", "PRIVATE-KEY", "credentials", "GITHUB_TOKEN", "licenceNumber")
		params = p.object("a", p.object(name, p.pick(v, "["+v+"]", p.object("a", v))))
	case 5:
		params = p.object("sessionId", v)
	case 6:
		params = p.pick(p.object("args", "["+p.spell("--api-key")+","+v+"]"), p.object("env", "["+p.spell("LANG="+secret)+"]"))
	default:
		params = p.object("content", p.object("text", p.spell(p.text(secret))))
	}
	members := []string{p.spell("jsonrpc") + `:"2.0"`, p.spell("method") + ":" + p.spell(method), p.spell("params") + ":" + params, `"id":1`}
	p.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	line := "{" + strings.Join(members, ",") + "}"
	for range p.IntN(3) {
		line = p.object("text", p.spell(p.pick("", "log: ", "{\"a\":1}\n", "see [x] ")+line))
	}
	return line
}

// FuzzPlanted checks that a secret in one of ACP's places is removed.
func FuzzPlanted(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := planter{rand.New(rand.NewPCG(seed, 1))}
		secret := p.letters(36)
		line := []byte(p.message(secret))
		if !json.Valid(line) {
			t.Fatalf("the test made a line that is not JSON: %s", line)
		}
		r := newTest(t)
		got := r.Redact(nil, line)
		if !json.Valid(got) {
			t.Fatalf("the result is not JSON:\n%s\n%s", line, got)
		}
		plain := got
		for bytes.IndexByte(plain, '\\') >= 0 { // however often it is escaped
			quoted := append(append([]byte(`"`), bytes.ReplaceAll(plain, []byte(`"`), nil)...), '"')
			text, _ := wire.Text(quoted)
			if text == "" || len(text) >= len(plain) {
				break
			}
			plain = []byte(text)
		}
		if bytes.Contains(got, []byte(secret)) || bytes.Contains(plain, []byte(secret)) {
			t.Fatalf("%s is still there:\n%s\n%s", secret, line, got)
		}
		if again := r.Redact(nil, got); !bytes.Equal(again, got) {
			t.Fatalf("redacting again changes it:\n%s\n%s\n%s", line, got, again)
		}
	})
}
