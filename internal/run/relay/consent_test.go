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

// otherwise are responses of a client that choose none of the options that it was shown. Cancel means
// that it cancels the turn instead of responding.
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
