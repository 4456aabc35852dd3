package export

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"html"
	"io"
	"slices"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"

	"github.com/go-json-experiment/json/jsontext"
)

// Names of the three parties. The viewer puts client on the left and agent on the right. The
// conductor's own names have no order.
const (
	client = "client"
	proxy  = "acpshim"
	agent  = "agent"
)

// Trace writes what [Copy] would write, in the format of the trace viewer of the official
// conductor. Each line is an event: a message has one for the way to acpshim and one for the way
// from it. The format has no place for lines that are not messages, so they are counted as omitted.
// Params, results and errors that the viewer cannot read, or that break it, are written as texts.
// Methods are escaped for HTML, because the viewer takes them for HTML. The error is one of open,
// of reading or of w.
func Trace(w io.Writer, open func() (io.ReadCloser, error), o Options) (omitted int, err error) {
	to := bufio.NewWriter(w)
	add := func(m *history.Message, _ record.Record) error {
		if m == nil {
			return nil
		}
		events := eventsOf(m)
		if events == nil {
			omitted++
		}
		_, err := to.Write(events)
		return err
	}
	_, err = piped(open, o, func(r *record.Reader) error {
		_, err := history.Scan(r, add)
		return err
	})
	return omitted, cmp.Or(err, to.Flush())
}

// eventsOf are the events of a message; nil for a line that is not a message.
func eventsOf(m *history.Message) (events []byte) {
	msg, err := wire.Parse(m.JSON)
	if m.Kind == history.Other || err != nil {
		return nil
	}
	from, other := client, agent
	if m.Message.Dir == record.Agent {
		from, other = agent, client
	}
	if m.Message.Received() {
		events = appendEvent(events, m, msg, from, proxy)
	}
	if m.Message.Sent() {
		events = appendEvent(events, m, msg, proxy, other)
	}
	return events
}

// appendEvent appends an event: a message on its way from one party to another.
func appendEvent(dst []byte, m *history.Message, msg *wire.Object, from, to string) []byte {
	kind := map[history.Kind]string{history.Response: "response"}[m.Kind]
	dst = wire.Quote(append(dst, `{"type":`...), cmp.Or(kind, string(m.Kind)))
	dst = strconv.AppendFloat(append(dst, `,"ts":`...), m.Mono.Seconds(), 'f', 9, 64)
	if m.Kind != history.Response {
		dst = append(dst, `,"protocol":"acp"`...)
	}
	dst = wire.Quote(append(dst, `,"from":`...), from)
	dst = wire.Quote(append(dst, `,"to":`...), to)
	if m.Kind != history.Notification {
		dst = wire.Quote(append(dst, `,"id":`...), eventID(m, msg, from, to))
	}
	if m.Kind == history.Response {
		dst = strconv.AppendBool(append(dst, `,"is_error":`...), m.Failed)
		payload := "result"
		if m.Failed {
			payload = "error"
		}
		return append(appendReadable(append(dst, `,"payload":`...), msg.Raw(payload), nil), "}\n"...)
	}
	dst = wire.Quote(append(dst, `,"method":`...), html.EscapeString(m.Method))
	if m.Session != "" {
		dst = wire.Quote(append(dst, `,"session":`...), m.Session)
	}
	return append(appendReadable(append(dst, `,"params":`...), msg.Raw("params"), previewed[m.Method]), "}\n"...)
}

// eventID is an id that is unique in the trace, because the viewer relates a response to any
// request with its id, and both peers may count from 0.
func eventID(m *history.Message, msg *wire.Object, from, to string) string {
	asked := m.Message.Dir == record.Client
	if m.Kind == history.Response {
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

// previewed are the places in params that the viewer shows, by method. It expects a text there, and
// shows nothing at all if it finds something else.
var previewed = map[string][]jsontext.Pointer{
	acp.SessionPrompt: {"/prompt/0/text"},
	acp.SessionUpdate: {"/update/content/text", "/update/status"},
}

// appendReadable appends a value, which may be missing. If the viewer cannot read it, it is
// appended as a text.
func appendReadable(dst, raw []byte, texts []jsontext.Pointer) []byte {
	switch {
	case raw == nil:
		return append(dst, "null"...)
	case !readable(raw, texts):
		return wire.Quote(dst, string(raw))
	}
	return append(dst, raw...)
}

// maxDepth is how deep the viewer reads values, less the event itself.
const maxDepth = 126

// readable reports whether the viewer can read a value: it is valid Unicode and not too deep, no
// number is too large for a float, and only texts are where the viewer expects texts.
func readable(raw []byte, texts []jsontext.Pointer) bool {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		switch {
		case err != nil:
			return errors.Is(err, io.EOF)
		case d.StackDepth() > maxDepth:
			return false
		case token.Kind() == '0':
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return false
			}
		}
		if kind := token.Kind(); kind != '"' && kind != 'n' && len(texts) > 0 && slices.Contains(texts, d.StackPointer()) {
			return false
		}
	}
}
