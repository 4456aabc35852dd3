package rule

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/proxy"
	"acpshim/translate/plans"
)

// hundred returns 100 rules of which none matches a chunk.
func hundred(kind string) []Rule {
	var rules []Rule
	for i := range 100 {
		r := Rule{Name: fmt.Sprint("rule ", i), From: Agent, Set: []Setting{{"/hit", []byte("1")}}}
		switch {
		case kind == "methods":
			r.Method = fmt.Sprintf("_vendor/%d/*", i)
		case kind == "kinds":
			r.Update = fmt.Sprintf("kind_%d", i)
		case kind == "globs":
			r.Method = "session/update"
			r.When = When{Glob: values("/params/update/content/text", fmt.Sprintf("*the text %d*", i))}
		default:
			r.Method = "session/update"
			r.When = equalTo("/params/update/content/text", fmt.Sprintf(`"the text %d"`, i))
		}
		rules = append(rules, r)
	}
	return rules
}

// flood is lines of an agent that streams.
func flood(size int) []byte {
	words := strings.Repeat("Next I look at where the plan is drawn, and who calls that.\n", 1+size/60)
	line := chunk("sess_0123456789", words[:size-150]) + "\n"
	return bytes.Repeat([]byte(line), max(1, (4<<20)/len(line)))
}

// BenchmarkHundredRules: a flood through pipes of the system and a pump, with
// plan translation alone and with 100 rules beside it that match nothing. It
// prints the throughput as a part of that without rules.
func BenchmarkHundredRules(b *testing.B) {
	for _, size := range []int{250, 4096} {
		data := flood(size)
		for _, kind := range []string{"methods", "kinds", "values", "globs"} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				set := compile(b, hundred(kind))
				relay := func(with bool) wire.Interceptor {
					c := set.NewChain(Options{})
					others := []dispatch.Adapter{plans.New(c.conversation, plans.Options{For: func(_, _ conversation.Implementation) plans.Settings {
						return plans.Settings{Advertise: true, Prose: true}
					}})}
					d := dispatch.New(c.conversation, dispatch.Options{Adapters: others})
					if with {
						d = c.among(others...)
					}
					through(d.FromClient(), nil, []byte(`{"id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n"))
					through(d.FromAgent(), nil, []byte(`{"id":0,"result":{"protocolVersion":1}}`+"\n"))
					return d.FromAgent()
				}
				without, with := time.Hour, time.Hour // the best of all rounds
				for b.Loop() {
					without = min(without, piped(b, data, relay(false)))
					with = min(with, piped(b, data, relay(true)))
				}
				b.ReportMetric(float64(without)/float64(with), "of-no-rules")
				b.ReportMetric(float64(with.Nanoseconds())/float64(bytes.Count(data, []byte("\n"))), "ns/line")
			})
		}
	}
}

// piped measures how long data takes from one pipe to another.
func piped(b *testing.B, data []byte, look wire.Interceptor) time.Duration {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	go func() {
		inWrite.Write(data)
		inWrite.Close()
	}()
	go func() {
		proxy.Relay(outWrite, inRead, look, 16<<20)
		outWrite.Close()
	}()
	n, err := io.Copy(io.Discard, outRead)
	took := time.Since(start)
	inRead.Close()
	outRead.Close()
	if err != nil || n != int64(len(data)) {
		b.Fatalf("%d of %d bytes came: %v", n, len(data), err)
	}
	return took
}

// tenRules returns rules such as people write: two of them apply to chunks, and neither matches.
func tenRules() []Rule {
	set := []Setting{{"/params/update/x", []byte("1")}}
	return []Rule{
		{Name: "no usage", From: Agent, Update: "usage_update", Action: "drop"},
		{Name: "known updates only", From: Agent, Update: "!{user_message_chunk,agent_*_chunk,tool_call,tool_call_update,plan}", Action: "drop"},
		{Name: "short titles", From: Agent, Update: "tool_call*", When: When{Regexp: values("/params/update/title", ".{25}")}, JQ: `.params.update.title |= .[:24]`},
		{Name: "no gpt-4", ResponseTo: "session/{new,load}", Delete: []string{"/result/models/availableModels/[modelId=openai~1gpt-4]"}},
		{Name: "no /login", From: Agent, Update: "available_commands_update", Delete: []string{"/params/update/availableCommands/[name=login]"}},
		{Name: "no always", From: Agent, Method: "session/request_permission", Delete: []string{"/params/options/[kind=allow_always]"}},
		{Name: "no trace", From: Agent, Method: "session/update", When: When{Has: []string{"/params/_meta/trace"}}, Delete: []string{"/params/_meta/trace"}},
		{Name: "keys", From: Agent, Method: "session/update", When: When{Regexp: values("/params/update/content/text", "AKIA[A-Z0-9]{16}")}, Log: true},
		{Name: "failed", From: Agent, Update: "tool_call_update", When: equalTo("/params/update/status", `"failed"`), Log: true},
		{Name: "thoughts", From: Agent, Session: "s1*", Update: "agent_thought_chunk", Set: set},
	}
}

// BenchmarkTenRules: one line that no rule matches. Each line differs from the one before.
func BenchmarkTenRules(b *testing.B) {
	set := compile(b, tenRules())
	for _, size := range []int{250, 4096} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			agent := set.NewChain(Options{}).FromAgent(nil)
			line, _, _ := bytes.Cut(flood(size), []byte("\n"))
			line = append(line, '\n')
			first := bytes.Index(line, []byte("Next"))
			var dst []byte
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				line[first]++
				if line[first] >= 'z' {
					line[first] = 'A'
				}
				dst = through(agent, dst[:0], line)
			}
		})
	}
}

// BenchmarkRule: one line that one of its kind concerns.
func BenchmarkRule(b *testing.B) {
	line := []byte(chunk("sess_0123456789", strings.Repeat("word ", 20)) + "\n")
	set := []Setting{{"/params/update/content/text", []byte(`"***"`)}}
	for _, bench := range []struct {
		name  string
		rules []Rule
	}{
		{"set", []Rule{{Name: "r", Method: "session/update", Set: set}}},
		{"set, when", []Rule{{Name: "r", Update: "agent_*", Set: set, When: When{Has: []string{"/params/update/content/text"}}}}},
		{"drop", []Rule{{Name: "r", Update: "agent_*", Action: "drop"}}},
		{"jq", []Rule{{Name: "r", Update: "agent_*", JQ: `.params.update.content.text = "***"`}}},
		{"100 values", hundred("values")},
		{"100 values, one there", append(hundred("values"), Rule{Name: "r", When: When{Glob: values("/params/update/content/text", "*word*")}, Log: true})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			set := compile(b, bench.rules)
			agent := set.NewChain(Options{}).FromAgent(nil)
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst = through(agent, dst[:0], line)
			}
		})
	}
}
