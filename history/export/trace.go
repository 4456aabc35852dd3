package export

import (
	"bufio"
	"io"
	"strconv"

	"acpshim/history"
	"acpshim/record"
	"acpshim/wire"
)

// Names of the three parties, as the conductor has them.
const (
	client = "Client"
	proxy  = "Proxy(0)"
	agent  = "Agent"
)

// Trace writes messages in the format of the trace viewer that belongs to the
// official conductor: an event a line, one for the way to acpshim and one for
// the way from it. What is no message has no place there, and is counted. The
// error is that of w.
func Trace(w io.Writer, messages []*history.Message) (omitted int, err error) {
	to := bufio.NewWriter(w)
	for _, m := range messages {
		msg, err := wire.Parse(m.JSON)
		if m.Kind == history.Other || err != nil {
			omitted++
			continue
		}
		from, other := client, agent
		if m.Message.Dir == record.Agent {
			from, other = agent, client
		}
		var events []byte
		if m.Message.Received() {
			events = appendEvent(events, m, msg, from, proxy)
		}
		if m.Message.Sent() {
			events = appendEvent(events, m, msg, proxy, other)
		}
		if _, err := to.Write(events); err != nil {
			return omitted, err
		}
	}
	return omitted, to.Flush()
}

func appendEvent(dst []byte, m *history.Message, msg *wire.Object, from, to string) []byte {
	kind := string(m.Kind)
	if m.Kind == history.Answer {
		kind = "response"
	}
	dst = wire.Quote(append(dst, `{"type":`...), kind)
	dst = strconv.AppendFloat(append(dst, `,"ts":`...), m.Mono.Seconds(), 'f', 9, 64)
	if m.Kind != history.Answer {
		dst = append(dst, `,"protocol":"acp"`...)
	}
	dst = wire.Quote(append(dst, `,"from":`...), from)
	dst = wire.Quote(append(dst, `,"to":`...), to)
	if m.Kind != history.Notification {
		dst = wire.Quote(append(dst, `,"id":`...), eventID(m, msg, from, to))
	}
	if m.Kind == history.Answer {
		dst = strconv.AppendBool(append(dst, `,"is_error":`...), m.Failed)
		payload := "result"
		if m.Failed {
			payload = "error"
		}
		return append(appendRaw(append(dst, `,"payload":`...), msg.Raw(payload)), "}\n"...)
	}
	dst = wire.Quote(append(dst, `,"method":`...), m.Method)
	if m.Session != "" {
		dst = wire.Quote(append(dst, `,"session":`...), m.Session)
	}
	return append(appendRaw(append(dst, `,"params":`...), msg.Raw("params")), "}\n"...)
}

// eventID is an id that is unique in the trace: the viewer takes a response for
// that of any request with its id, and both peers may count from 0.
func eventID(m *history.Message, msg *wire.Object, from, to string) string {
	asked := m.Message.Dir == record.Client
	if m.Kind == history.Answer {
		asked = !asked
	}
	peer, by := from, string(record.Agent)
	if from == proxy {
		peer = to
	}
	if asked {
		by = string(record.Client)
	}
	return by + ":" + string(msg.Raw("id")) + "@" + peer
}

func appendRaw(dst, raw []byte) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}
