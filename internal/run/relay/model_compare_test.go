package relay_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"golang.org/x/tools/txtar"
)

var (
	modelSeed  = flag.Uint64("model-seed", 0, "the only seed of a conversation with the model of plans; 0: all")
	modelCount = flag.Int("model-conversations", 0, "how many conversations are compared with the model of plans; 0: the usual number")
	modelStop  = flag.Int("model-stop", 10, "how many kinds of difference are printed")
)

// A modelCase is a configuration of the model.
type modelCase struct{ policy, showAs, prose, late string }

func (c modelCase) config() string {
	text := ""
	for _, k := range [][3]string{{"plan.policy", c.policy, "checklists"}, {"plan.show_as", c.showAs, "plan"}, {"plan.prose", c.prose, "message"}, {"turns.late", c.late, "pass"}} {
		if k[1] != k[2] {
			text += fmt.Sprintf("%s = %q\n", k[0], k[1])
		}
	}
	return text
}

func randomCase(r *rand.Rand) modelCase {
	c := modelCase{"checklists", "plan", "message", "pass"}
	switch r.IntN(9) {
	case 8:
		c.showAs = "message"
	case 0:
		c.policy = "all"
	case 1:
		c.policy = "latest"
	case 2:
		c.prose = "drop"
	case 3:
		c.late = "drop"
	}
	return c
}

// archiveOf returns a conversation as a transcript without outputs.
func archiveOf(c modelCase, events []modelEvent) *txtar.Archive {
	a := &txtar.Archive{Files: []txtar.File{
		{Name: "client", Data: []byte(initialize + "\n")},
		{Name: "agent", Data: []byte(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}` + "\n")},
	}}
	if text := c.config(); text != "" {
		a.Files = slices.Insert(a.Files, 0, txtar.File{Name: "config.toml", Data: []byte(text)})
	}
	for _, e := range events {
		name := e.from
		line := e.line + "\n"
		if e.kind == "write" {
			name, line = e.from+" "+e.path, e.line
		}
		if e.joined {
			last := &a.Files[len(a.Files)-1]
			last.Data = append(last.Data, line...)
			continue
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(line)})
	}
	return a
}

// modelConfigs are the configurations that were read.
var modelConfigs = map[modelCase]config.Config{}

// playModel plays a transcript.
func playModel(a *txtar.Archive, c modelCase) (*txtar.Archive, error) {
	read, ok := modelConfigs[c]
	if !ok {
		var err error
		if read, err = config.Parse(config.Default(), "f", c.config()); err != nil {
			return nil, err
		}
		read.Repair.ToolCalls = false // it announces calls from before a load once more
		modelConfigs[c] = read
	}
	panicked := ""
	o := relay.Options{OwnID: "own-"}
	o.Events.Panicked = func(reason any, stack []byte) { panicked = fmt.Sprintf("%v\n%s", reason, stack) }
	went, err := transcript.Play(a, relay.NewOffline(read, o, map[string]string{}))
	if panicked != "" {
		err = fmt.Errorf("an adapter panicked: %s", panicked)
	}
	return went, err
}

// gotOutputs returns what the client got for each input of a played transcript.
func gotOutputs(went *txtar.Archive) (all [][]modelOutput) {
	for _, f := range went.Files {
		switch f.Name {
		case "config.toml", "shows", "to agent":
		case "to client":
			for line := range strings.Lines(string(f.Data)) {
				all[len(all)-1] = append(all[len(all)-1], outputOf(strings.TrimSuffix(line, "\n")))
			}
		default:
			all = append(all, nil)
		}
	}
	return all
}

// outputOf reads a line that the client got.
func outputOf(line string) modelOutput {
	var msg struct {
		ID     any
		Result struct{ StopReason string }
		Params struct {
			SessionID string
			Update    struct {
				SessionUpdate, MessageID string
				Content                  json.RawMessage
				Entries                  []modelEntry
			}
		}
	}
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		return modelOutput{line: "not JSON: " + line}
	}
	o := modelOutput{session: msg.Params.SessionID, line: line}
	switch u := msg.Params.Update; {
	case u.SessionUpdate == "plan":
		return modelOutput{session: o.session, isPlan: true, plan: append([]modelEntry{}, u.Entries...)}
	case strings.HasPrefix(u.MessageID, "acpshim-plan-"):
		var content struct{ Text string }
		json.Unmarshal(u.Content, &content)
		return modelOutput{session: o.session, text: strings.TrimSpace(content.Text)}
	}
	return o
}

func (o modelOutput) String() string {
	switch {
	case o.isPlan:
		text := o.session + " plan"
		for _, e := range o.plan {
			text += fmt.Sprintf("\n    [%s] %s {%s}", map[string]string{"completed": "x", "in_progress": "~", "pending": " "}[e.Status], e.Content, e.Priority)
		}
		return text
	case o.text != "":
		return o.session + " text\n    " + strings.ReplaceAll(strings.TrimSpace(o.text), "\n", "\n    ")
	}
	return o.line
}

// key is what two equal outputs have in common.
func (o modelOutput) key() string {
	text := o.String()
	if strings.Contains(text, `"stopReason"`) {
		return text[:strings.Index(text, `"result"`)]
	}
	return strings.ReplaceAll(text, "[cancelled] ", "")
}

// A modelDifference is where a conversation goes otherwise than the model.
type modelDifference struct {
	at        string // the kind of the event
	want, got []modelOutput
	input     string
}

func (d *modelDifference) String() string {
	text := "after " + d.input + "\nthe model says:\n"
	for _, o := range d.want {
		text += "  " + o.String() + "\n"
	}
	text += "the client gets:\n"
	for _, o := range d.got {
		text += "  " + o.String() + "\n"
	}
	return text
}

// compareWithModel returns the first difference.
func compareWithModel(c modelCase, quirks map[string]bool, events []modelEvent) (*modelDifference, *txtar.Archive) {
	a := archiveOf(c, events)
	went, err := playModel(a, c)
	if err != nil {
		return &modelDifference{at: "error", input: err.Error()}, a
	}
	got := gotOutputs(went)[2:] // without initialize
	if wrong := invariant(c, events, got); wrong != "" {
		return &modelDifference{at: "invariant", input: wrong}, went
	}
	if c.showAs != "plan" {
		return nil, went // the docs do not say what the text looks like
	}
	m := newPlanModel(c.policy, c.prose, c.late)
	m.quirks = quirks
	var want [][]modelOutput
	var inputs []string
	var at []string
	isJoined := map[int]bool{}
	for _, e := range events {
		out := m.on(e)
		if e.joined {
			last := len(want) - 1
			isJoined[last] = true
			want[last] = append(want[last], out...)
			inputs[last] += "\n" + e.line
			at[last] = e.kind
			continue
		}
		want = append(want, out)
		inputs = append(inputs, e.from+" "+e.kind+": "+e.line)
		at = append(at, e.kind)
	}
	sessions := map[string]string{}
	for _, e := range events {
		sessions[modelOutput{line: e.line}.key()] = e.session
	}
	for i := range want {
		if isJoined[i] {
			want[i], got[i] = lastPlans(want[i]), lastPlans(got[i])
		}
		// The order of messages of different sessions does not count.
		for _, outputs := range [][]modelOutput{want[i], got[i]} {
			slices.SortStableFunc(outputs, func(a, b modelOutput) int {
				return strings.Compare(cmp.Or(a.session, sessions[a.key()]), cmp.Or(b.session, sessions[b.key()]))
			})
		}
		if !slices.EqualFunc(want[i], got[i], func(a, b modelOutput) bool { return a.key() == b.key() }) {
			return &modelDifference{at[i], want[i], got[i], inputs[i]}, went
		}
	}
	return nil, went
}

// lastPlans leaves out plans after which another one comes at once: of what arrives in one write,
// the last state is enough.
func lastPlans(outputs []modelOutput) (all []modelOutput) {
	for _, o := range outputs {
		if last := len(all) - 1; o.isPlan && last >= 0 && all[last].isPlan && all[last].session == o.session {
			all[last] = o
			continue
		}
		all = append(all, o)
	}
	return all
}

// shrink leaves out steps while the conversation still differs from the model.
func shrink(c modelCase, steps []modelStep) []modelStep {
	differs := func(steps []modelStep) bool {
		d, _ := compareWithModel(c, allQuirks(), eventsOf(steps))
		return d != nil
	}
	for size := max(1, len(steps)/2); size > 0; {
		again := false
		for i := 0; i+size <= len(steps); {
			if less := slices.Delete(slices.Clone(steps), i, i+size); differs(less) {
				steps, again = less, true
			} else {
				i++
			}
		}
		if !again {
			size /= 2
		}
	}
	for i := range steps {
		less := slices.Clone(steps)
		less[i].joined = false
		if differs(less) {
			steps = less
		}
		for len(steps[i].cuts) > 1 {
			less := slices.Clone(steps)
			less[i].cuts = less[i].cuts[1:]
			if !differs(less) {
				break
			}
			steps = less
		}
		for j := 0; j < len(steps[i].doc.lines) && !steps[i].doc.isTable(); {
			less := slices.Clone(steps)
			less[i].doc.lines = slices.Delete(slices.Clone(less[i].doc.lines), j, j+1)
			less[i].cuts = []int{len(less[i].doc.text())}
			if len(steps[i].cuts) > 1 || !less[i].doc.isSound() || !differs(less) {
				j++
				continue
			}
			steps = less
		}
	}
	return steps
}

// invariant checks what has to be so in any case, without the model. It returns the first
// violation.
func invariant(c modelCase, events []modelEvent, got [][]modelOutput) string {
	type live struct {
		text    string
		reading modelReading
		turn    int
	}
	type session struct {
		turn, pending int
		docs          map[string]live
		told          map[string]bool // texts in this turn, since the last other text
		bare          map[string]bool // of the same
	}
	sessions := map[string]*session{"s1": {docs: map[string]live{}}, "s2": {docs: map[string]live{}}}
	bare := map[string]string{} // of texts
	ofFile := map[string]bool{} // texts that several plans may have
	begin := func(s *session) { s.turn, s.told, s.bare = s.turn+1, map[string]bool{}, map[string]bool{} }
	begin(sessions["s1"])
	begin(sessions["s2"])
	i := -1
	for n := 0; n < len(events); i++ {
		inputs := events[n : n+1]
		for n++; n < len(events) && events[n].joined; n++ {
			inputs = append(inputs[:len(inputs):len(inputs)], events[n])
		}
		for _, e := range inputs {
			s := sessions[e.session]
			switch e.kind {
			case "prompt":
				if s.pending++; s.pending == 1 {
					begin(s)
				}
			case "document":
				r := e.reading(true)
				bare[strings.TrimSpace(e.text())] = r.bare
				if s.docs[e.id].text != e.text() {
					s.told = map[string]bool{}
				}
				s.docs[e.id] = live{e.text(), r, s.turn}
			case "write":
				r := e.reading(true)
				bare[strings.TrimSpace(e.text())] = r.bare
				ofFile[strings.TrimSpace(e.text())] = true
				sessions["s1"].told, sessions["s2"].told = map[string]bool{}, map[string]bool{}
			case "items", "file", "removed":
				delete(s.docs, e.id)
			case "load", "loaded", "said":
				begin(s)
				s.docs = map[string]live{}
			}
		}
		for _, e := range inputs {
			if e.kind == "end" && len(inputs) > 1 { // a turn ends among what comes in one write
				sessions[e.session].told = map[string]bool{}
			}
		}
		for _, o := range got[i+1] {
			s := sessions[o.session]
			switch {
			case strings.Contains(o.line, `"plan_update"`) || strings.Contains(o.line, `"plan_removed"`):
				return "the client gets a plan update: " + o.line
			case o.isPlan && c.showAs == "message":
				return "the client gets a legacy plan, but plan.show_as is message: " + o.String()
			case c.prose == "drop" && o.text != "" && c.showAs == "plan":
				return "the client gets a text, but plan.prose is drop: " + o.String()
			case o.text != "" && c.showAs == "plan":
				if s.told[o.text] && !ofFile[o.text] {
					return "the client gets a text again, which has not changed in this turn: " + o.String()
				}
				s.told[o.text], s.bare[bare[o.text]] = true, true
			}
			if j := slices.IndexFunc(inputs, func(e modelEvent) bool { return e.line == o.line }); j >= 0 {
				e := inputs[j]
				if e.kind == "ask" && e.call == "switch_mode" && e.n == 0 && c.prose == "message" && c.showAs == "plan" && len(inputs) == 1 {
					for id, d := range s.docs {
						if d.turn == s.turn && d.reading.more && !s.bare[d.reading.bare] {
							return fmt.Sprintf("the client is asked about %q before its text: %s", id, d.text)
						}
					}
				}
			}
		}
		for _, e := range inputs {
			if e.kind == "end" {
				s := sessions[e.session]
				if s.pending--; s.pending > 0 {
					begin(s)
				}
			}
		}
	}
	return ""
}

// undecided are seeds of conversations in which the model and the program differ, and of which
// docs/plans.md does not say who is right: documents that are only a title for a while, next to
// finished ones or to the text of a question.
var undecided = []uint64{294, 990, 1098, 1195, 1519, 3002, 3479, 3557, 4047, 4224, 4240, 4243, 4723, 4769, 4790, 4978}

func TestPlansAgainstModel(t *testing.T) {
	n := 500
	if os.Getenv("ACPSHIM_LONG") != "" {
		n = 5000
	}
	if isRace {
		n /= 4
	}
	if *modelCount > 0 {
		n = *modelCount
	}
	found := 0
	for seed := uint64(1); seed <= uint64(n) && found < *modelStop; seed++ {
		if *modelSeed != 0 && seed != *modelSeed {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 37))
		c := randomCase(r)
		steps := randomSteps(r, c.late == "drop")
		d, _ := compareWithModel(c, allQuirks(), eventsOf(steps))
		if slices.Contains(undecided, seed) {
			if d == nil {
				t.Errorf("-model-seed %d: it goes as the model says, so remove the seed", seed)
			}
			continue
		}
		if d == nil {
			continue
		}
		found++
		steps = shrink(c, steps)
		var went *txtar.Archive
		d, went = compareWithModel(c, allQuirks(), eventsOf(steps))
		t.Errorf("-model-seed %d, %+v: %s\n%s", seed, c, d, txtar.Format(went))
	}
}

// TestKnownPlanDifferences fails when a difference is gone: then its row, and its quirk in the
// model, can go, too.
func TestKnownPlanDifferences(t *testing.T) {
	for _, k := range knownDifferences {
		c := k.in
		if c == (modelCase{}) {
			c = modelCase{"checklists", "plan", "message", "pass"}
		}
		events := eventsOf(k.steps)
		if d, went := compareWithModel(c, allQuirks(), events); d != nil {
			t.Errorf("%s: it goes in yet another way: %s\n%s", k.quirk, d, txtar.Format(went))
		}
		right := allQuirks()
		delete(right, k.quirk)
		d, went := compareWithModel(c, right, events)
		if d == nil {
			t.Errorf("%s: it goes as the docs say, so remove the row", k.quirk)
		} else {
			t.Logf("%s: %s\n%s\n%s", k.quirk, k.why, d, txtar.Format(went))
		}
	}
}
