package clients

import (
	"slices"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// breaks adds a fault if a message does not match the schema. Request is that of a response. Only
// places below at count; what readers tolerate is advice.
func (j *judge) breaks(rule, method string, request *request, line []byte, at ...string) {
	records := []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`, "", string(line),
	}
	if request != nil {
		records[2] = string(request.line)
	}
	var conversation history.Conversation
	var messages []*history.Message
	for i, text := range records {
		dir := wire.Client
		if i == 1 || i == 2 {
			dir = wire.Agent
		}
		if text != "" {
			messages = append(messages, conversation.Add(record.Record{Seq: uint64(i + 1), Message: &record.Message{Dir: dir, Line: []byte(text), Len: int64(len(text))}})...)
		}
	}
	for _, f := range validate.Check(&history.History{Messages: messages}).Findings {
		if f.Note || f.Seq != uint64(len(records)) || !isBelow(f.Pointer, at) {
			continue
		}
		j.fault(rule, "", "your "+number(j.n)+" "+method+", "+f.Pointer+": "+f.Text, "it MUST match the schema").Advice = isTolerated(f.Text)
		return
	}
}

func isBelow(pointer string, at []string) bool {
	return slices.ContainsFunc(at, func(place string) bool { return strings.HasPrefix(pointer, place) })
}

// isTolerated reports whether the schema says that readers tolerate what a finding is about.
func isTolerated(text string) bool { return strings.Contains(text, "; readers ") }
