package paths

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A connection is two peers with the adapter between them.
type connection struct {
	adapter *Adapter
	from    map[conversation.Side]*dispatch.Direction
}

func connect(version int, prefixes ...Prefix) connection {
	a := New(prefixes)
	d := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	c := connection{a, map[conversation.Side]*dispatch.Direction{dispatch.Client: d.FromClient(), dispatch.Agent: d.FromAgent()}}
	c.send(dispatch.Client, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	c.send(dispatch.Agent, fmt.Sprintf(`{"id":0,"result":{"protocolVersion":%d}}`, version))
	return c
}

func (c connection) send(from conversation.Side, line string) string {
	out, _ := wire.Apply(c.from[from], nil, []byte(line))
	return string(out)
}

// lineOf returns a message of a kind with a value at a pointer, and with other texts that look like
// paths.
func lineOf(kind, pointer, value string) string {
	steps := strings.Split(pointer[1:], "/")
	for i := len(steps) - 1; i > 0; i-- {
		noise := `"rawInput":{"path":"/mnt/c/src/x"} , "text" : "\u002fmnt/c/src/x","title":"C:\\src\\x"`
		if steps[i] == "*" {
			value = fmt.Sprintf("[ %s,%s ]", value, value)
			continue
		}
		if update, ok := strings.CutPrefix(kind, update); ok && steps[i-1] == "update" {
			noise += `, "sessionUpdate":"` + update + `"`
		}
		if steps[i-1] == "content" {
			noise += `,"type":"resource"`
		}
		value = fmt.Sprintf(`{%s,"%s" : %s}`, noise, steps[i], value)
	}
	method := kind
	switch {
	case strings.HasPrefix(kind, responseTo):
		return fmt.Sprintf(`{ "id":7,"result":%s }`, value)
	case strings.HasPrefix(kind, update):
		method = "session/update"
	}
	return fmt.Sprintf(`{"id":7 , "method":"%s","params":%s}`, method, value)
}

// Each place is mapped, and no other byte of the message changes.
func TestEachPlaceIsMapped(t *testing.T) {
	paths := map[conversation.Side][2]string{
		dispatch.Client: {`"c:\\src\\a"`, `"/mnt/c/src/a"`},
		dispatch.Agent:  {`"\/mnt/c/src/a"`, `"C:\\src\\a"`},
	}
	for _, p := range places() {
		for _, pointer := range p.pointers {
			c := connect(1, wsl)
			if method, ok := strings.CutPrefix(p.kind, responseTo); ok {
				c.send(p.from.Other(), fmt.Sprintf(`{"id":7,"method":%q}`, method))
			}
			values := paths[p.from]
			line, want := lineOf(p.kind, pointer, values[0]), lineOf(p.kind, pointer, values[1])
			if got := c.send(p.from, line); got != want {
				t.Errorf("%s %s\n     %s\n got %s\nwant %s", p.kind, pointer, line, got, want)
			}
			for _, other := range []string{"null", `"/opt/x"`, "7", "{}", `[["/mnt/c/src"]]`} {
				if line := lineOf(p.kind, pointer, other); c.send(p.from, line) != line {
					t.Errorf("%s changes", line)
				}
			}
		}
	}
}

// Without prefixes, or with version 2, the adapter wants nothing.
func TestWantsNothing(t *testing.T) {
	for name, c := range map[string]connection{"no prefix": connect(1), "version 2": connect(2, wsl)} {
		if wants := c.adapter.Wants(); wants != nil {
			t.Errorf("%s: wants %v", name, wants)
		}
	}
	c := connect(1)
	if c.adapter.texts != nil || c.adapter.at != nil {
		t.Error("something is made without a prefix")
	}
}

// Streamed text passes at once, and a message with a path is held.
func TestStreamsPass(t *testing.T) {
	begin := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":`
	for _, test := range []struct {
		line string
		want wire.Verdict
	}{
		{`"agent_message_chunk","content":{"type":"text","text":"/mnt/c/src`, wire.Pass},
		{`"agent_message_chunk","messageId":"m","content":{"type":"text"`, wire.Pass},
		{`"agent_thought_chunk","content":{"type":"audio","data":"AAAA`, wire.Pass},
		{`"agent_message_chunk","content":{"type":"resource_link"`, wire.Hold},
		{`"agent_message_chunk","content":{"type":"resource"`, wire.Hold},
		{`"agent_message_chunk","content":{"type":"image"`, wire.Hold},
		{`"agent_message_chunk","content":{`, wire.More},
		{`"agent_message_chunk","content":{"type":"t\u0065xt"`, wire.Hold},
		{`"agent_message_chunk"}}}`, wire.Pass},
		{`"available_commands_update",`, wire.Pass},
		{`"tool_call_update","toolCallId":"t",`, wire.Hold},
	} {
		c := connect(1, wsl)
		for range 2 { // the second time the beginning is known
			if got := c.from[dispatch.Agent].Inspect([]byte(begin+test.line), false); got != test.want {
				t.Errorf("%s: %v, want %v", test.line, got, test.want)
			}
		}
	}
	c := connect(1, wsl)
	text := []byte(begin + `"agent_message_chunk","content":{"type":"text","text":"a`)
	if n := testing.AllocsPerRun(100, func() { c.from[dispatch.Agent].Inspect(text, false) }); n != 0 {
		t.Errorf("%v allocations for a chunk of text", n)
	}
}

// If the edits of a message take too much memory, it passes unchanged.
func TestEditsAreBounded(t *testing.T) {
	c := connect(1, wsl)
	line := func(paths int) string {
		locations := strings.Repeat(`,{"path":"/mnt/c/src/a"}`, paths)[1:]
		return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","locations":[` + locations + `]}}}`
	}
	few, many := maxEdits/2/editSize, maxEdits/editSize
	if out := c.send(dispatch.Agent, line(few)); strings.Contains(out, "/mnt/c") || out == line(few) {
		t.Errorf("%d paths: %.200s", few, out)
	}
	if out := c.send(dispatch.Agent, line(many)); out != line(many) {
		t.Errorf("%d paths: %.200s", many, out)
	}
}

// Only strings at places change, each to the result of Text. A message without such strings does
// not change.
func FuzzHandle(f *testing.F) {
	for _, p := range places() {
		for _, pointer := range p.pointers {
			f.Add(lineOf(p.kind, pointer, `"/mnt/c/src/a"`), p.from == dispatch.Agent)
			f.Add(lineOf(p.kind, pointer, `"file:///C:/src/%41"`), p.from == dispatch.Agent)
		}
	}
	f.Fuzz(func(t *testing.T, line string, isAgent bool) {
		from := map[bool]conversation.Side{true: dispatch.Agent, false: dispatch.Client}[isAgent]
		if strings.Contains(line, "initialize") || strings.Contains(line, "\n") {
			return
		}
		c := connect(1, wsl)
		c.send(from.Other(), `{"id":7,"method":"session/list"}`)
		out := c.send(from, line)
		if out == line {
			return
		}
		var was, is any
		if json.Unmarshal([]byte(line), &was) != nil || json.Unmarshal([]byte(out), &is) != nil {
			t.Fatalf("%q becomes %q", line, out)
		}
		changed := map[string][2]string{}
		differences(t, nil, was, is, changed)
		again := []byte(line)
		for pointer, texts := range changed {
			if want, ok := c.adapter.texts.Text(texts[0], from); !ok || want != texts[1] {
				t.Fatalf("%q becomes %q at %s, want %q", texts[0], texts[1], pointer, want)
			}
			p, _ := wire.ParsePointer(pointer)
			span, ok := p.Find(again)
			if !ok {
				t.Fatalf("%s of %q: no such value", pointer, again)
			}
			again = wire.Splice(nil, again, wire.Edit{Span: span, With: wire.Quote(nil, texts[1])})
		}
		if !bytes.HasPrefix(again, []byte("[")) && string(again) != out {
			t.Fatalf("%q becomes %q, want %q", line, out, again)
		}
	})
}

// differences collects the strings in which two values differ, by their pointers.
func differences(t *testing.T, at wire.Pointer, was, is any, to map[string][2]string) {
	switch was := was.(type) {
	case map[string]any:
		for name, v := range was {
			differences(t, append(at[:len(at):len(at)], name), v, is.(map[string]any)[name], to)
		}
	case []any:
		for i, v := range was {
			differences(t, append(at[:len(at):len(at)], fmt.Sprint(i)), v, is.([]any)[i], to)
		}
	case string:
		if is != was {
			to[at.String()] = [2]string{was, is.(string)}
		}
	default:
		if !reflect.DeepEqual(was, is) {
			t.Fatalf("%v becomes %v at %s", was, is, at)
		}
	}
}
