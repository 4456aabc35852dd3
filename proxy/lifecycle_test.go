package proxy

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// A story is a run as its lifecycle sees it: what happens at which second, and
// what is done about it.
type moment struct {
	at    float64 // seconds
	heard float64 // when the agent last wrote; negative if an answer is owed, too
	e     event
	want  []action
	due   float64 // afterwards; 0 for never
}

func TestLifecycle(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	usual := graces{input: 5 * time.Second, term: 3 * time.Second, hurry: time.Second}
	tests := []struct {
		name   string
		grace  graces
		story  []moment
		isOver bool
	}{
		{"the agent ends by itself", usual, []moment{
			{1, 1, agentEnded, []action{shutOutput}, 0},
			{1, 1, agentExited, []action{drainOutput}, 0},
		}, true},
		{"the agent's exit is not the end while its output is being delivered", usual, []moment{
			{1, 1, agentExited, []action{drainOutput}, 0},
		}, false},
		{"the client ends, the agent does too", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{2, 2, agentExited, []action{drainOutput}, 0},
			{2, 2, agentEnded, []action{shutOutput}, 0},
		}, true},
		{"the client ends, the agent is silent: the whole ladder", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{6, 0, timeOut, []action{terminate}, 9},
			{9, 0, timeOut, []action{kill}, 0},
			{9, 0, agentExited, []action{drainOutput}, 0},
			{9, 0, agentEnded, []action{shutOutput}, 0},
		}, true},
		{"the client ends, the agent continues to respond", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{6, 4, timeOut, nil, 9},
			{9, 8, timeOut, nil, 13},
			{13, 8, timeOut, []action{terminate}, 16},
		}, false},
		{"the client ends and waits for an answer", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{6, -1, timeOut, nil, 11},
			{11, -1, timeOut, nil, 16},
			{16, 12, timeOut, nil, 17},
			{17, 12, timeOut, []action{terminate}, 20},
		}, false},
		{"time that passed while acpshim was stopped does not count", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{60, 0, timeOut, nil, 65},
			{65, 0, timeOut, []action{terminate}, 68},
		}, false},
		{"the client ends and waits, then is gone", usual, []moment{
			{1, -1, clientEnded, []action{shutInput}, 6},
			{2, -1, clientGone, []action{refuseOutput, shutInput}, 5},
			{5, -1, timeOut, []action{terminate}, 8},
		}, false},
		{"the client is gone, and there is no grace", graces{}, []moment{
			{1, 1, clientGone, []action{refuseOutput, shutInput}, 1},
			{1, 1, timeOut, []action{terminate}, 1},
			{1, 1, timeOut, []action{kill}, 0},
		}, false},
		{"with no input grace it may take as long as it likes", graces{term: time.Second}, []moment{
			{1, 0, clientEnded, []action{shutInput}, 0},
		}, false},
		{"the client is gone: nobody to wait for, grace or not", graces{term: 3 * time.Second}, []moment{
			{1, 1, clientGone, []action{refuseOutput, shutInput}, 4},
			{4, 1, timeOut, []action{terminate}, 7},
			{7, 1, agentExited, []action{drainOutput}, 0},
		}, true},
		{"the client is gone after the agent", usual, []moment{
			{1, 1, agentExited, []action{drainOutput}, 0},
			{2, 1, clientGone, []action{refuseOutput, shutInput}, 0},
		}, true},
		{"the client is gone after the agent was asked to end", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{6, 0, timeOut, []action{terminate}, 9},
			{8, 0, clientGone, []action{refuseOutput, shutInput}, 9},
			{9, 0, timeOut, []action{kill}, 0},
		}, false},
		{"the client's end after it is gone changes nothing", usual, []moment{
			{1, 1, clientGone, []action{refuseOutput, shutInput}, 4},
			{2, 1, clientEnded, []action{shutInput}, 4},
			{4, 3, timeOut, []action{terminate}, 7},
		}, false},
		{"the agent closes its input and continues", usual, []moment{
			{1, 1, agentRefused, []action{shutInput, refuseInput}, 0},
		}, false},
		{"the agent closes its output and continues", usual, []moment{
			{1, 1, agentEnded, []action{shutOutput}, 0},
			{2, 1, clientEnded, []action{shutInput}, 7},
		}, false},
		{"a signal, and the agent heeds it", usual, []moment{
			{1, 0, askedToEnd, nil, 4},
			{2, 2, agentExited, []action{drainOutput}, 5},
			{2, 2, agentEnded, []action{shutOutput}, 5},
		}, true},
		{"a signal, and it does not", usual, []moment{
			{1, 0, askedToEnd, nil, 4},
			{4, 0, timeOut, []action{kill}, 0},
		}, false},
		{"a second signal shortens the grace, a third ends it", usual, []moment{
			{1, 0, askedToEnd, nil, 4},
			{1.5, 0, askedToEnd, nil, 2.5},
			{2, 0, askedToEnd, []action{kill}, 0},
		}, false},
		{"a signal while the client sleeps over the rest: given up after the grace", usual, []moment{
			{1, 0, agentExited, []action{drainOutput}, 0},
			{2, 0, askedToEnd, nil, 5},
			{5, 0, timeOut, []action{refuseOutput}, 5},
		}, true},
		{"a signal on the ladder's first rung", usual, []moment{
			{1, 0, clientEnded, []action{shutInput}, 6},
			{2, 0, askedToEnd, nil, 5},
			{5, 0, timeOut, []action{kill}, 0},
		}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := lifecycle{grace: test.grace}
			var done []action
			for i, m := range test.story {
				if l.over() {
					t.Fatalf("over before moment %d", i)
				}
				got := l.apply(m.e, view{now: at(m.at), heard: at(m.heard), busy: m.heard < 0})
				if !slices.Equal(got, m.want) {
					t.Errorf("moment %d: actions %v, want %v", i, got, m.want)
				}
				done = append(done, got...)
				if l.inputOver != slices.Contains(done, shutInput) {
					t.Errorf("moment %d: the input is over: %v, after %v", i, l.inputOver, done)
				}
				if due := l.due; m.due == 0 && !due.IsZero() || m.due != 0 && !due.Equal(at(m.due)) {
					t.Errorf("moment %d: due %v, want second %v", i, due.Sub(start), m.due)
				}
			}
			if l.over() != test.isOver {
				t.Errorf("over is %v, want %v", l.over(), test.isOver)
			}
		})
	}
}

// The steps of a run's end are facts: the first one of each kind, and each signal.
func TestStepsOfTheEnd(t *testing.T) {
	l := lifecycle{grace: graces{term: 3 * time.Second}}
	at := func(second int) view { return view{now: time.Unix(1000, 0).Add(time.Duration(second) * time.Second)} }
	signaled := at(2)
	signaled.signal = syscall.SIGTERM
	l.apply(agentReplaced, at(0))
	l.apply(clientEnded, at(1))
	l.apply(clientEnded, at(1))
	l.apply(askedToEnd, signaled)
	l.apply(timeOut, at(5))
	l.apply(agentExited, at(6))
	want := []Step{
		{ClientClosed, "", at(1).now}, {Signaled, "terminated", at(2).now}, {Killed, "", at(5).now}, {AgentExited, "", at(6).now},
	}
	if !slices.Equal(l.steps, want) {
		t.Errorf("got %v, want %v", l.steps, want)
	}
	l.apply(agentReplaced, at(7))
	if l.steps != nil {
		t.Errorf("a new agent has steps: %v", l.steps)
	}
	for range 100 {
		l.apply(askedToEnd, signaled)
	}
	if len(l.steps) > maxSteps {
		t.Errorf("there are %d steps", len(l.steps))
	}
}
