package relay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/setup/config"
)

// An offer is the options of a permission request, as the agent sends them.
type offer []offered

type offered struct{ id, kind string } // a kind may be any JSON, or "" for none

// offers are lists of options. The names of options are their positions.
var offers = []offer{
	{},
	{{"y", `"allow_once"`}},
	{{"n", `"reject_once"`}},
	{{"y", `"allow_once"`}, {"n", `"reject_once"`}},
	{{"y", `"allow_once"`}, {"never", `"reject_always"`}},
	{{"never", `"reject_always"`}, {"y2", `"allow_always"`}, {"y", `"allow_once"`}},
	{{"y", `"allow_once"`}, {"cancel", `"reject_once"`}, {"decline", `"reject_once"`}},
	{{"decline", `"reject_once"`}, {"cancel", `"reject_once"`}, {"y", `"allow_always"`}},
	{{"y", `"allow_once"`}, {"cancel", `"reject_once"`}},
	{{"y", `"allow_once"`}, {"never", `"reject_always"`}, {"decline", `"reject_once"`}, {"cancel", `"reject_once"`}},
	{{"y", `"allow_once"`}, {"n1", `"reject_once"`}, {"n2", `"reject_once"`}, {"never", `"reject_always"`}},
	{{"y", `"reject_once"`}, {"y", `"allow_once"`}},
	{{"decline", `"allow_once"`}, {"decline", `"reject_once"`}, {"cancel", `"reject_once"`}},
	{{"decline", `"allow_always"`}, {"n", `"reject_once"`}, {"cancel", `"reject_once"`}},
	{{"reject_once", `"allow_once"`}, {"allow_once", `"reject_once"`}},
	{{"allow", `"allow_once"`}, {"allow_once", `"allow_once"`}, {"reject", `"reject_once"`}},
	{{"y", `"allow_everything"`}, {"n", `"reject_once"`}, {"x", `"never_allow"`}},
	{{"y", ``}, {"n", `"deny"`}, {"z", `7`}},
	{{"deny", `"allow_once"`}, {"no", ``}},
	{{"cancel", `"reject_once"`}, {"x", `"ask"`}, {"y", `"allow_once"`}},
	{{"x", `null`}, {"abort", `"reject_once"`}, {"never", `"reject_always"`}, {"y", `"allow_once"`}},
}

func (o offer) json() string {
	var all []string
	for i, option := range o {
		raw := fmt.Sprintf(`{"optionId":%q,"name":"option %d"`, option.id, i)
		if option.kind != "" {
			raw += `,"kind":` + option.kind
		}
		all = append(all, raw+"}")
	}
	return "[" + strings.Join(all, ",") + "]"
}

// is reports whether an id names options, all of them of one kind. "deny" counts as reject_once.
func (o offer) is(id, kind string) bool {
	n := 0
	for _, option := range o {
		if option.id == id {
			if option.kind != fmt.Sprintf("%q", kind) && option.kind != `"deny"` {
				return false
			}
			n++
		}
	}
	return n > 0
}

// rejects reports whether an option rejects.
func (o offer) rejects() bool {
	return slices.ContainsFunc(o, func(option offered) bool { return strings.HasPrefix(option.kind, `"reject_`) })
}

// isOdd reports whether an option has a kind that the protocol does not have.
func (o offer) isOdd() bool {
	return slices.ContainsFunc(o, func(option offered) bool {
		return !slices.Contains([]string{`"allow_once"`, `"allow_always"`, `"reject_once"`, `"reject_always"`}, option.kind)
	})
}

// isTwice reports whether two options have the same id.
func (o offer) isTwice() bool {
	ids := map[string]bool{}
	for _, option := range o {
		ids[option.id] = true
	}
	return len(ids) < len(o)
}

func (o offer) has(id string) bool {
	return slices.ContainsFunc(o, func(option offered) bool { return option.id == id })
}

// otherwise are responses of a client that choose none of the options that it was shown. Cancel
// means that it cancels the turn instead of responding.
var otherwise = map[string]string{
	"cancelled": `"result":{"outcome":{"outcome":"cancelled"}}`, "an unknown outcome": `"result":{"outcome":{"outcome":"approved"}}`,
	"an outcome that is text": `"result":{"outcome":"selected"}`, "no outcome": `"result":{}`, "null": `"result":null`, "a list": `"result":["y"]`,
	"no id": `"result":{"outcome":{"outcome":"selected"}}`, "an id that is a number": `"result":{"outcome":{"outcome":"selected","optionId":0}}`,
	"null as id": `"result":{"outcome":{"outcome":"selected","optionId":null}}`, "an empty id": `"result":{"outcome":{"outcome":"selected","optionId":""}}`,
	"cancelled with an id": `"result":{"outcome":{"outcome":"cancelled","optionId":"unknown"}}`,
	"an error":             `"error":{"code":-32601,"message":"no such method"}`, "an error with a result": `"error":{"code":1,"message":"yes"},"result":null`,
	"approve": `"result":{"outcome":{"outcome":"selected","optionId":"approve"}}`, "denied": `"result":{"outcome":{"outcome":"selected","optionId":"denied"}}`,
	"unknown": `"result":{"outcome":{"outcome":"selected","optionId":"unknown"}}`, "abort": `"result":{"outcome":{"outcome":"selected","optionId":"abort"}}`,
	"cancel the turn": "",
}

// A request is what the agent says of a call, first as its announcement, then in its request for
// permission. Members are JSON without the braces.
type request struct {
	announced, asked string
	isAnnounced      bool
}

// get asks, and returns the raw response that the agent gets, the options that the client is shown,
// and whether it is asked. The function chooses one of them, or says something else.
func (p *consent) get(r request, o offer, choose func(shown []shown) string) (response string, isAsked bool) {
	p.n++
	call := fmt.Sprintf(`"toolCallId":"call-%d"`, p.n)
	with := func(members string) string {
		if members == "" {
			return call
		}
		return call + "," + members
	}
	if r.isAnnounced {
		update := "tool_call"
		if p.agent == 2 {
			update = "tool_call_update"
		}
		p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q,%s}}`, update, with(r.announced))+"}")
	}
	params := `"toolCall":{` + with(r.asked) + "}"
	if p.agent == 2 {
		params = `"title":"Sure?","subject":{"type":"tool_call","toolCall":{` + with(r.asked) + `}}`
	}
	id := fmt.Sprint("ask-", p.n)
	toClient, toAgent := p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/request_permission","params":{"sessionId":"s",%s,"options":%s}}`, id, params, o.json()))
	for line := range strings.Lines(toClient) {
		var m struct {
			Method string
			Params struct{ Options []shown }
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.Method != "session/request_permission" {
			continue
		}
		isAsked = true
		said := choose(m.Params.Options)
		if said != "" {
			_, more := p.says(true, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`, id, said))
			toAgent += more
			continue
		}
		toAgent += p.cancel()
	}
	for line := range strings.Lines(toAgent) {
		if strings.Contains(line, fmt.Sprintf(`"id":%q`, id)) {
			if response != "" {
				p.t.Fatalf("two responses: %s and %s", response, line)
			}
			response = strings.TrimSpace(line)
		}
	}
	return response, isAsked
}

// cancel begins a turn, cancels it, and ends it. It returns what the agent gets after the cancel.
func (p *consent) cancel() string {
	id := fmt.Sprint("prompt-", p.n)
	p.says(true, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, id))
	result := `{"stopReason":"end_turn"}`
	if p.agent == 2 {
		result = "{}"
		defer p.says(false, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`)
	}
	defer p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, id, result))
	_, toAgent := p.says(true, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	return toAgent
}

// count returns how many options have a kind that begins so.
func count(all []shown, kind string) (n int) {
	for _, option := range all {
		if strings.HasPrefix(option.Kind, kind) {
			n++
		}
	}
	return n
}

type shown struct{ OptionID, Name, Kind string }

// selected returns the id that a response selects.
func selected(response string) (id string, isSelected bool) {
	var m struct {
		Result struct {
			Outcome struct {
				Outcome  string
				OptionID *string
			}
		}
	}
	if json.Unmarshal([]byte(response), &m) != nil || m.Result.Outcome.Outcome != "selected" || m.Result.Outcome.OptionID == nil {
		return "", false
	}
	return *m.Result.Outcome.OptionID, true
}

var bothVersions = [][2]int{{1, 1}, {1, 2}, {2, 1}} // of the client and of the agent

// consentKeys are the keys that change options, responses or their time.
var consentKeys = []string{
	"", "repair.dismiss = true", "repair.refusals = false", "repair.option_ids = true", "repair.option_kinds = false", "repair.cancel = false",
	"repair.asked_calls = true", "repair.dismiss = true\nrepair.option_ids = true\nrepair.asked_calls = true",
	"repair.dismiss = true\nrepair.option_kinds = false\nrepair.option_ids = true",
	"repair.one_reject = true", "repair.one_reject = true\nrepair.dismiss = true\nrepair.option_ids = true",
}

// TestConsent tries what clients respond to a permission request, with every list of options, all
// keys that touch them, and in both versions. A choice reaches the agent as what was chosen. All
// that is not a choice is never a yes, and never lasts.
func TestConsent(t *testing.T) {
	r := request{`"kind":"execute","title":"rm x"`, "", true}
	for _, keys := range consentKeys {
		c, err := config.Parse(config.Default(), "f", keys)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range bothVersions {
			p := newConsent(t, c, pair[0], pair[1])
			for _, o := range offers {
				failed := func(format string, args ...any) {
					t.Helper()
					t.Errorf("%q, versions %v, %s: %s", keys, pair, o.json(), fmt.Sprintf(format, args...))
				}
				for i := range o {
					name, was := fmt.Sprintf("option %d", i), shown{}
					response, isAsked := p.get(r, o, func(all []shown) string {
						if rejects := count(all, "reject"); rejects > 1 && c.Repair.OneReject && !o.isTwice() && !o.isOdd() || rejects == 0 && o.rejects() {
							failed("%d options reject: %v", rejects, all)
						}
						for _, option := range all {
							if option.Name == name {
								was = option
								return fmt.Sprintf(`"result":{"outcome":{"outcome":"selected","optionId":%q}}`, option.OptionID)
							}
						}
						return otherwise["cancelled"]
					})
					id, is := selected(response)
					switch {
					case was.Name == "" && is && !o.is(id, "reject_once"):
						failed("%s is not shown, the client cancels, and the agent gets %s", name, response)
					case was.Name != "" && (!is || id != o[i].id):
						failed("%s was chosen, and the agent gets %s", name, response)
					case !isAsked && response != "" && is:
						failed("nobody is asked, and the agent gets %s", response)
					case strings.HasPrefix(o[i].kind, `"allow`) && isAsked && was.Name == "" && pair[1] == 1: // the bridge leaves out unknown kinds
						failed("%s is not shown", name)
					case was.Name != "" && !strings.Contains(o[i].kind, "allow") && strings.HasPrefix(was.Kind, "allow"):
						failed("%s is shown with the kind %s", name, was.Kind)
					}
				}
				for what, said := range otherwise {
					response, _ := p.get(r, o, func([]shown) string { return said })
					id, is := selected(response)
					isOwn := is && !o.has(id) && strings.Contains(said, fmt.Sprintf("%q", id)) // as the client said it
					if is && !isOwn && !o.is(id, "reject_once") {
						failed("after %s the agent gets %s", what, response)
					}
					if is && strings.Contains(said, `"error"`) {
						failed("after %s the agent gets %s", what, response)
					}
				}
			}
		}
	}
}

// A permission request has no deadline. Nobody responds in place of a client that is silent.
func TestConsentHasNoDeadline(t *testing.T) {
	c, err := config.Parse(config.Default(), "f", "repair.dismiss = true\n[deadline]\nvendor = '1ms'\nsilence = '1ms'\ncancel = true\nopen = '1ms'\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range bothVersions {
		p := newConsent(t, c, pair[0], pair[1])
		response, isAsked := p.get(request{`"kind":"execute","title":"rm x"`, "", true}, offers[3], func([]shown) string {
			time.Sleep(30 * time.Millisecond)
			toClient, toAgent := p.says(false, `{"jsonrpc":"2.0","method":"_x","params":{}}`)
			if strings.Contains(toAgent, "ask-") || strings.Contains(toClient, "error") {
				t.Errorf("versions %v: the agent gets %s, and the client %s", pair, toAgent, toClient)
			}
			return `"result":{"outcome":{"outcome":"selected","optionId":"y"}}`
		})
		if id, _ := selected(response); !isAsked || id != "y" {
			t.Errorf("versions %v: the client says yes, and the agent gets %s", pair, response)
		}
	}
}

// commandRules are rules with the calls that they allow: by kind, whether the command is known to
// be only "git status", whether it may be another one, its title and its tool.
var commandRules = []struct {
	toml   string
	allows func(kind string, isStatus, isRm bool, title, tool string) bool
}{
	{"", func(string, bool, bool, string, string) bool { return false }},
	{rules("command = 'git status'", "allow_once"), func(kind string, is, _ bool, _, _ string) bool {
		return is && (kind == "execute" || kind == "other")
	}},
	{rules("command = ['ls', 'git st*']\nkind = 'execute'", "allow_once"), func(kind string, is, _ bool, _, _ string) bool { return is && kind == "execute" }},
	{rules("command = 'git *'\ntitle = 'Look'", "allow_once"), func(kind string, is, _ bool, title, _ string) bool {
		return is && title == "Look" && (kind == "execute" || kind == "other")
	}},
	{rules("tool = 'Bash'", "allow_once"), func(kind string, _, _ bool, _, tool string) bool {
		return tool == "Bash" && kind != "" && kind != "switch_mode"
	}},
	{rules("kind = 'execute'", "allow_once") + rules("command = 'rm *'", "reject_once"), func(kind string, is, _ bool, _, _ string) bool { return kind == "execute" && is }},
	{rules("command = '*'", "allow_once") + rules("command = 'rm *'", "reject_once"), func(kind string, is, _ bool, _, _ string) bool {
		return is && (kind == "execute" || kind == "other")
	}},
	{rules("title = '*'", "allow_once") + rules("tool = 'Bash'", "reject_once"), func(kind string, _, _ bool, _, tool string) bool {
		return tool != "Bash" && kind != "" && kind != "switch_mode"
	}},
	{rules("command = 'git *'", "ask") + rules("kind = 'execute'", "allow_once"), func(string, bool, bool, string, string) bool { return false }},
	{rules("command = 'rm *'", "reject_always") + rules("command = 'git status'", "allow_always"), func(kind string, is, _ bool, _, _ string) bool {
		return is && (kind == "execute" || kind == "other")
	}},
}

func rules(conditions, answer string) string {
	return fmt.Sprintf("[[permission]]\nname = %q\n%s\nanswer = '%s'\n", strings.Split(conditions, "\n")[0]+answer, conditions, answer)
}

// inputs are values of rawInput. Those of the first list run "git status" and nothing else.
var inputs = [2][]string{
	{`{"command":"git status"}`, `{"command":["bash","-lc","git status"]}`, `{"cmd":"git status && git status"}`},
	{`{"command":"git status; rm x"}`, `{"command":"git status$(rm x)"}`, `{"command":["bash","-lc","git status; rm x"]}`, `{"command":"rm x","cmd":"git status"}`, `{"command":"git status > x; rm x"}`},
}

// A rule by command or tool allows only what it names, however the agent describes the call: in its
// announcement, in the request, or in parts; as one command or hidden in another; in both versions.
func TestConsentOfCommands(t *testing.T) {
	for _, rule := range commandRules {
		c, err := config.Parse(config.Default(), "f", rule.toml)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range bothVersions {
			p := newConsent(t, c, pair[0], pair[1])
			for _, kind := range []string{"", "read", "execute", "other", "switch_mode"} {
				for is, list := range inputs {
					for _, input := range append(list, "") {
						for _, tool := range []string{"", "Bash", "Edit"} {
							if tool != "" && !strings.Contains(rule.toml, "tool") {
								continue
							}
							for how := range 4 {
								title := []string{"Look", "rm x"}[how%2]
								members := fmt.Sprintf(`"title":%q`, title)
								if kind != "" {
									members += fmt.Sprintf(`,"kind":%q`, kind)
								}
								if tool != "" {
									members += fmt.Sprintf(`,"_meta":{"claudeCode":{"toolName":%q}}`, tool)
								}
								rawInput := ""
								if input != "" {
									rawInput = `"rawInput":` + input
								}
								r := request{members, rawInput, true}
								if how >= 2 { // the other way around
									r = request{rawInput, members, rawInput != ""}
								}
								known := kind
								if kind == "" && (pair[1] == 2 || r.isAnnounced) {
									known = "other" // an announced call without a kind
								}
								allows := rule.allows(known, is == 0 && input != "", is == 1 && input != "", title, tool)
								response, isAsked := p.get(r, offers[3], func([]shown) string { return otherwise["cancelled"] })
								id, _ := selected(response)
								if id == "y" && !allows || isAsked && id != "" && id != "n" {
									t.Errorf("%s, versions %v: of a call announced as {%s} and asked about as {%s} the agent gets %s", rule.toml, pair, r.announced, r.asked, response)
								}
								if allows && id != "y" && known == kind && how < 2 && !strings.Contains(rule.toml, "always") {
									t.Errorf("%s, versions %v: a call announced as {%s} and asked about as {%s} is not allowed: %s", rule.toml, pair, r.announced, r.asked, response)
								}
							}
						}
					}
				}
			}
		}
	}
}

// An agent of version 2 asks about a command of its own choice, with the id of a call that runs
// another one. The rule is about the command that it asks about.
func TestTheCommandOfTheRequestCounts(t *testing.T) {
	c, err := config.Parse(config.Default(), "f", rules("command = 'git status'", "allow_once"))
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]bool{"git status": true, "rm x": false} {
		p := newConsent(t, c, 1, 2)
		p.says(false, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"execute","rawInput":{"command":"git status"}}}}`)
		toClient, toAgent := p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask","method":"session/request_permission","params":{"sessionId":"s","title":"Sure?","subject":{"type":"command","command":%q,"toolCallId":"c"},"options":%s}}`, command, offers[3].json()))
		if id, _ := selected(strings.TrimSpace(toAgent)); (id == "y") != want || want == strings.Contains(toClient, "ask") {
			t.Errorf("%s: the agent gets %s, the client %s", command, toAgent, toClient)
		}
	}
}

// What an agent said of a call that has ended, or what it has cleared in version 2, counts for no
// later request with the id of the call.
func TestConsentOfEndedAndClearedCalls(t *testing.T) {
	const announced = `"kind":"execute","title":"git","name":"Bash","rawInput":{"command":"git status"}`
	for _, test := range []struct {
		agents      []int
		then, asked string // members of an update, and of the request
		wantCommand bool
		wantTool    bool
	}{
		{[]int{1, 2}, ``, ``, true, true},
		{[]int{1, 2}, `"status":"completed"`, ``, false, false},
		{[]int{1, 2}, `"status":"failed"`, `"title":"rm x"`, false, false},
		{[]int{2}, `"status":"cancelled"`, `"title":"rm x"`, false, false},
		{[]int{1, 2}, `"status":"completed"`, announced, true, true},
		{[]int{2}, `"rawInput":null`, ``, false, true},
		{[]int{2}, ``, `"rawInput":null`, false, true},
		{[]int{2}, `"name":null`, ``, true, false},
		{[]int{1}, `"rawInput":null,"name":null`, ``, true, true}, // version 1: no change
	} {
		for _, agent := range test.agents {
			for toml, want := range map[string]bool{rules("command = 'git status'", "allow_once"): test.wantCommand, rules("tool = 'Bash'", "allow_once"): test.wantTool} {
				c, err := config.Parse(config.Default(), "f", toml)
				if err != nil {
					t.Fatal(err)
				}
				p := newConsent(t, c, 1, agent)
				if test.then != "" {
					first := map[int]string{1: "tool_call", 2: "tool_call_update"}[agent]
					for _, update := range [][2]string{{first, announced}, {"tool_call_update", test.then}} {
						p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q,"toolCallId":"call-1",%s}}}`, update[0], update[1]))
					}
				}
				response, _ := p.get(request{announced, test.asked, test.then == ""}, offers[3], func([]shown) string { return otherwise["cancelled"] })
				if id, _ := selected(response); (id == "y") != want {
					t.Errorf("%s, version %d: after {%s}, asked about {%s}, the agent gets %s", toml, agent, test.then, test.asked, response)
				}
			}
		}
	}
}
