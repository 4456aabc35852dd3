package view

import (
	"cmp"
	"fmt"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// A Verdict says in one line for whom a run waits, who ended it, or that nothing went wrong. It is
// made only of facts in the record, never of the words of a reason or an error. What a record does
// not have, as those of earlier versions, is "not known".
type Verdict struct {
	Text  string `json:"text"`
	Short string `json:"short"`         // for a list, such as "agent ended"; "-" if nothing went wrong
	Seq   uint64 `json:"seq,omitempty"` // of the request that has no response
	IsBad bool   `json:"bad"`

	problems int // how many kinds of things went wrong, if Text has the first of them
}

// unknown is for a record that does not have what led to the end.
func (v *Verdict) unknown(j *Judge, e ending, w *wait) {
	v.IsBad = true
	switch status := e.end.Status; {
	case e.end.Signal != "":
		v.Short = "agent killed"
		v.Text = killed(e.end.Signal) + clause(record.Agent, w, e.at) + "; it is not known by whom"
	case w != nil:
		v.Short = "no response"
		v.Text = fmt.Sprintf("the run ended with status %d%s; it is not known who ended it", status, clause("", w, e.at))
	case status != 0:
		v.Short = fmt.Sprintf("status %d", status)
		v.Text = fmt.Sprintf("the run ended with status %d; it is not known why", status)
	default:
		const who = "it is not known who ended the run"
		*v = j.fine("nothing went wrong that this record tells; "+who, who)
	}
}

// known is for a record that has what led to the end.
func (v *Verdict) known(j *Judge, e ending, w *wait) {
	cause, after := e.cause(), e.after()
	short := map[proxy.What]string{proxy.ClientClosed: "client closed", proxy.ClientGone: "client gone", proxy.Signaled: "signal"}
	v.Short, v.IsBad = cmp.Or(short[cause.What], "agent ended"), true
	if after == "" && w == nil {
		switch cause.What {
		case proxy.ClientClosed:
			*v = j.fine("nothing went wrong", "then the client ended the run")
			return
		case proxy.Signaled:
			got := fmt.Sprintf("acpshim got a signal (%s)", cause.Signal)
			*v = j.fine("nothing went wrong until "+got, "then "+got)
			return
		}
	}
	at := time.Duration(cause.Mono)
	if e.end.Connection != "" && e.end.Status != 0 {
		v.Text, v.Short = terminal.Plain(e.end.Connection, 200)+clause("", w, at), "disconnected"
		return
	}
	isAgents := true
	subject, text := record.Agent, ""
	switch cause.What {
	case proxy.ClientClosed, proxy.ClientGone:
		subject, isAgents = record.Client, false
		if text = "the client ended the run"; cause.What == proxy.ClientGone {
			text = "the client stopped reading"
		}
	case proxy.Signaled:
		subject, isAgents = history.Acpshim, false
		text = fmt.Sprintf("acpshim got a signal (%s)", terminal.Plain(cause.Signal, 40))
	default:
		text = e.agent()
	}
	switch {
	case isAgents && e.end.Connection != "":
		subject, v.Short = "", "disconnected"
	case isAgents && e.end.Signal != "":
		v.Short = "agent killed"
	}
	switch {
	case w != nil && w.Method == acp.Initialize && subject == record.Client && w.owes() == record.Agent:
		v.Text = fmt.Sprintf("the agent never responded to initialize (#%d), %s; %s", w.Seq, terminal.Duration(at-w.Mono), text)
		v.Short = "no response"
	case w == nil && isAgents && cause.What != proxy.AgentRefused: // then it could still respond
		v.Text = text + " while no request was open"
	default:
		v.Text = text + clause(subject, w, at)
	}
	v.Text += after
}

// theSide names a side in a sentence.
func theSide(side wire.Side) string {
	if side == history.Acpshim {
		return string(side)
	}
	return "the " + string(side)
}
