package plans

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"acpshim/proxy"
	"acpshim/translate"
)

func TestManyUpdatesOfALargePlanAreShownOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for name, settings := range map[string]settings{"drawn": {}, "with prose": {Prose: true}, "as a message": {ShowAs: AsMessage, Prose: true}} {
		c := old(options{Settings: settings})
		agent := c.FromAgent()
		var in strings.Builder
		for i := range 6 {
			in.WriteString(itemsUpdate("s", fmt.Sprint("large", i), strings.Repeat("words ", 1<<17)) + "\n")
		}
		for i := range 300 {
			in.WriteString(itemsUpdate("s", "small", fmt.Sprint("step ", i)) + "\n")
			in.WriteString(planUpdate("s", "document", fmt.Sprint("Prose.\n\n- [ ] step ", i)) + "\n")
			in.WriteString(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update"}}}` + "\n")
		}
		var out bytes.Buffer
		if err := proxy.Relay(&out, strings.NewReader(in.String()), agent, 16<<20); err != nil {
			t.Fatal(err)
		}
		shown := strings.Count(out.String(), `"sessionUpdate":"plan"`)
		if want := map[bool]int{true: 1}[name != "as a message"]; shown < want || shown > 2*want || strings.Count(out.String(), "usage_update") != 300 {
			t.Errorf("%s: %d plans were shown, want %d", name, shown, want)
		}
		if name != "as a message" && !strings.Contains(out.String(), `{"content":"step 299"`) {
			t.Errorf("%s: the last state is not shown", name)
		}
		if out.Len() > 2*in.Len() {
			t.Errorf("%s: %d bytes became %d", name, in.Len(), out.Len())
		}
	}
}

// FilesChanged is not called for a prompt without plan files. A million prompts cost 24 s of CPU
// otherwise.
func TestPromptsWakeNobodyWithoutPlanFiles(t *testing.T) {
	woken := 0
	c := old(options{FilesChanged: func() { woken++ }})
	for i := range 10 {
		through(c.FromClient(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, i))
	}
	for i := range 10 {
		through(c.FromAgent(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	if woken > 0 || c.Busy() {
		t.Errorf("woken %d times, busy %v", woken, c.Busy())
	}
}

func TestTheLeastRecentlyUsedPlansAreEvictedFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	var told []string
	c := old(options{MaxBytes: 2 << 20, Events: events{Forgotten: func(what string) { told = append(told, what) }}})
	agent := c.FromAgent()
	large := strings.Repeat("w", 225_000)
	for i := range 4 {
		through(agent, itemsUpdate(fmt.Sprint("s", i), "p", large+"first"))
	}
	flushed(agent, false)
	for i := range 20 {
		through(agent, itemsUpdate("s0", "small", fmt.Sprint(i))) // in use
		through(agent, itemsUpdate(fmt.Sprint("t", i), "p", large))
	}
	out := string(flushed(agent, false))
	if !strings.Contains(out, `first","priority":"low","status":"pending"},{"content":"19"`) {
		t.Error("the session in use was forgotten")
	}
	if _, ok := c.c.Find("s1"); ok || len(told) != 1 {
		t.Errorf("the session used longest ago is kept: %v; told %q", ok, told)
	}
	// A plan alone that is more than a session may have goes, too.
	through(agent, itemsUpdate("s0", "huge", strings.Repeat("w", 1<<19)))
	if c.c.Size() > 2<<20 {
		t.Errorf("%d bytes are kept", c.c.Size())
	}
}

// A large document that changes by a byte before each of many questions is shown before some of
// them, and at the end.
func TestDocumentsBeforeQuestionsAreInProportion(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for name, settings := range map[string]settings{"document": {Prose: true}, "as a message": {ShowAs: AsMessage}} {
		c := old(options{Settings: settings})
		agent := c.FromAgent()
		through(c.FromClient(), `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
		text := "Prose.\n" + strings.Repeat("- [ ] a step of it\n", 20_000)
		in, out := len(text), len(through(agent, planUpdate("s", "d", text)))
		for i := range 30 {
			delta := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","_meta":{"jetbrains":{"air":{"contentDelta":"%d "}}},"plan":{"type":"markdown","planId":"d","content":""}}}}`, i)
			question := `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`
			in += len(delta) + len(question)
			through(agent, delta)
			out += len(through(agent, question)) + len(flushed(agent, false))
		}
		if most := 16*in + 1<<20; out > most {
			t.Errorf("%s: %d bytes became %d", name, in, out)
		}
		if end := through(agent, `{"jsonrpc":"2.0","id":3,"result":{}}`) + string(flushed(agent, false)); name == "document" && !strings.Contains(end, " 28 29 ") {
			t.Errorf("%s: the last text is not told at the end: %.200s", name, end)
		}
	}
}

// A client may have many pending requests. Plans of megabytes are not repeated before each
// response.
func TestPlansBeforeResponsesAreInProportion(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for name, settings := range map[string]settings{"drawn": {}, "as a message": {ShowAs: AsMessage, Prose: true}, "documents": {Prose: true}} {
		c := old(options{Settings: settings})
		client, agent := c.FromClient(), c.FromAgent()
		in, out := 0, 0
		take := func(line string) {
			in += len(line)
			out += len(through(agent, line))
		}
		for i := range 8 {
			take(itemsUpdate("s", fmt.Sprint("large", i), strings.Repeat("words ", 1<<16)))
			take(planUpdate("s", fmt.Sprint("text", i), strings.Repeat("Some prose. ", 1<<14)))
		}
		for i := range 200 {
			method := []string{"session/prompt", "session/close", "session/new"}[i%3]
			through(client, call(i, method, `{"sessionId":"s"}`))
			take(itemsUpdate("s", "small", fmt.Sprint("step ", i)))
			take(planUpdate("s", "text0", fmt.Sprint("Prose of ", i, strings.Repeat("x", 1000))))
			if i%3 == 1 {
				take(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`, i))
			} else {
				take(result(i, `{"sessionId":"s"}`))
			}
		}
		last := string(flushed(agent, false))
		if out += len(last); out > 17*in+1<<20+2*c.opts.MaxBytes/8 {
			t.Errorf("%s: %d bytes became %d", name, in, out)
		}
		if name == "drawn" && !strings.Contains(last, `"content":"step 199"`) {
			t.Errorf("%s: the last state is not shown behind the last answer", name)
		}
		counted(t, c)
	}
}

// The 65th plan of a session evicts the one that changed longest ago, and that is reported once.
func TestOnePlanTooManyIsReported(t *testing.T) {
	var told []string
	c := old(options{Events: events{Forgotten: func(what string) { told = append(told, what) }}})
	for i := range translate.MaxPlans {
		through(c.FromAgent(), itemsUpdate("s", fmt.Sprint("p", i), "step"))
	}
	if told != nil {
		t.Errorf("with %d plans: %q", translate.MaxPlans, told)
	}
	var large []string
	of := old(options{MaxBytes: 1 << 20, Events: events{Forgotten: func(what string) { large = append(large, what) }}})
	through(of.FromAgent(), itemsUpdate("s", "p", strings.Repeat("x", 1<<18)))
	if fmt.Sprint(large) != "[a plan]" {
		t.Errorf("with one that takes a quarter of all: %q", large)
	}
	through(c.FromAgent(), itemsUpdate("s", "one more", "step"))
	through(c.FromAgent(), itemsUpdate("s", "another", "step"))
	if want := "a plan: at most 64 of a session are kept"; len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q", told, want)
	}
	counted(t, c)
}

func TestEnvelopesOfWaitingPlansAreBounded(t *testing.T) {
	const plan = `"plan":{"type":"items","planId":"p","entries":[{"content":"a"}]}`
	for name, line := range map[string]string{
		"before": `{"x":%s,"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update",` + plan + `}}}`,
		"after":  `{"method":"session/update","params":{"update":{"sessionUpdate":"plan_update",` + plan + `},"x":%s,"sessionId":%q}}`,
		"meta":   `{"method":"session/update","params":{"update":{"sessionUpdate":"plan_update","_meta":{"x":%s},` + plan + `},"sessionId":%q}}`,
	} {
		for size, want := range map[int][2]int{60_000: {600_000, 1 << 20}, maxEnvelope: {0, 10_000}} {
			c := old(options{MaxBytes: 1 << 20})
			through(c.FromClient(), sessionS)
			for i := range 25 {
				through(c.FromAgent(), fmt.Sprintf(line, `"`+strings.Repeat("x", size)+`"`, fmt.Sprint("s", i)))
			}
			kept := 0
			for _, e := range c.heldPlans {
				kept += len(e.before) + len(e.after) + len(e.meta)
			}
			if kept < want[0] || kept > want[1] {
				t.Errorf("%s: %d bytes of notifications of %d are kept, want %d to %d", name, kept, size, want[0], want[1])
			}
		}
	}
}
