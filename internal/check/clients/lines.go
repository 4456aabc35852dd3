package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
	"acpshim/internal/text/terminal"
)

// received judges a line of the client.
func (j *judge) received(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return // readers skip it
	}
	j.n++
	j.isNewer = false
	message, err := wire.Parse(line, "params", "params.clientInfo", "params.info", "result", "result.outcome", "error")
	switch {
	case errors.Is(err, wire.ErrAmbiguous):
		j.advise(ruleLines, "", "your "+number(j.n)+", in which a member occurs twice: "+short(string(line)), "agents may read either one")
		return
	case err != nil || !utf8.Valid(line) || line[0] != '{':
		j.fault(ruleLines, "", "your "+number(j.n)+" "+fmt.Sprintf("%q", terminal.Plain(string(line), 60)), whyNotMessage(line))
		return
	}
	j.tried[ruleLines] = true
	if !j.envelope(message) {
		return
	}
	method, ok := message.Text("method")
	switch {
	case !ok:
		j.response(line, message)
	case message.Get("id") == nil:
		j.notification(method, message)
	default:
		j.request(line, method, message)
	}
}

// whyNotMessage says what is right instead of a line that is not a message.
func whyNotMessage(line []byte) string {
	text := string(line)
	switch {
	case !utf8.Valid(line):
		return "messages are UTF-8"
	case strings.HasPrefix(strings.ToLower(text), "content-length"), strings.HasPrefix(strings.ToLower(text), "content-type"):
		return "this is the framing of LSP: send each message on one line, without headers"
	case line[0] == '[' && bytes.HasSuffix(line, []byte("]")):
		return "send each message on a line of its own, not a list of them (a batch)"
	case strings.HasPrefix(text, "\ufeff"):
		return "send UTF-8 without a byte order mark"
	case strings.ContainsAny(text[:1], `{}[]"`):
		return "a message MUST NOT have line breaks in it: send it on one line"
	}
	return "the agent's standard input MUST only have messages, one on a line"
}

// envelope judges what all messages have. It reports whether the rest can be judged.
func (j *judge) envelope(message *wire.Object) bool {
	j.tried[ruleEnvelope] = true
	wrong := func(got, text string) {
		j.fault(ruleEnvelope, "", "your "+number(j.n)+" "+got, text)
	}
	if v := message.Raw("jsonrpc"); string(v) != `"2.0"` {
		wrong("with jsonrpc "+quote(v), `jsonrpc MUST be exactly "2.0"`)
	}
	id, method, params, failure := message.Raw("id"), message.Raw("method"), message.Raw("params"), message.Raw("error")
	isResponse := failure != nil || message.Get("result") != nil
	const either = "a message has a method, or exactly one of result and error"
	switch {
	case method == nil && !isResponse:
		wrong("without method, result and error", either)
		return false
	case method != nil && isResponse:
		wrong("with a method and a result or an error", either)
		return false
	case method != nil && !wire.IsString(method):
		wrong("with the method "+quote(method), "a method is a string")
		return false
	case id != nil && !isID(id) && !wire.IsAbsent(id):
		wrong("with the id "+quote(id), "an id is a string or an integer")
		return false
	case method == nil && failure != nil && message.Get("result") != nil:
		wrong("with result and error", "a response has exactly one of result and error, and not the other one as null")
	case method != nil && params != nil && params[0] != '{' && params[0] != '[':
		wrong("with params "+quote(params), "params are an object")
	case method != nil && id != nil && wire.IsAbsent(id):
		wrong("with a method and the id null", "a notification has no id, and a request has one that is not null")
	case failure != nil && (!isInteger(message.Open("error").Raw("code")) || !wire.IsString(message.Open("error").Raw("message"))):
		wrong("with the error "+quote(failure), "an error is an object with an integer code, and a message that is a string")
	}
	return true
}

func isID(raw []byte) bool { return wire.IsString(raw) || isInteger(raw) }

// isInteger reports whether a raw value is a whole number, however it is spelled.
func isInteger(raw []byte) bool {
	id := wire.ID(raw)
	return id != "" && !wire.IsString(raw) && !strings.ContainsAny(id, ".eE")
}

// short returns a text of at most 80 columns.
func short(text string) string { return terminal.Plain(text, 80) }
