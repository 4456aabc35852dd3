package versions

import "testing"

func TestNoticesAndCompactions(t *testing.T) {
	notice := `a {"sessionUpdate":"notice","severity":"warning","title":"Not eligible","description":"Ask."}`
	compacts := func(rest string) string {
		return `a {"sessionUpdate":"compaction_update","compactionId":"c"` + rest + `}`
	}
	for name, c := range map[string]struct {
		shake func(*world)
		lines []string
		want  string
	}{
		"a notice between messages": {oldClient, []string{says, notice, says, notice, notice}, `s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-1","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\n\nx"}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-2","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}
s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-3","content":{"type":"text","text":"\n\n**Not eligible:** Ask."}}`},
		"a notice alone":      {oldClient, []string{`a {"sessionUpdate":"notice","severity":"info","title":"Note","description":null}`}, `s: {"sessionUpdate":"agent_message_chunk","messageId":"acpshim-notice-1","content":{"type":"text","text":"**Note**"}}`},
		"a client of notices": {capableClient, []string{notice}, "s: " + notice[2:]},
		"a compaction": {oldClient, []string{compacts(""), compacts(`,"status":"completed","summary":[{"type":"text","text":"x"}]`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"in_progress"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"acpshim-compaction-c","status":"completed"}`},
		"a compaction that begins with its summary": {oldClient, []string{`a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`, `a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"y"}}`, compacts(`,"status":"cancelled"`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"in_progress"}
s: {"sessionUpdate":"tool_call_update","toolCallId":"acpshim-compaction-c","status":"failed"}`},
		"a compaction that fails": {oldClient, []string{compacts(`,"status":"failed","error":"No room."`)}, `s: {"sessionUpdate":"tool_call","toolCallId":"acpshim-compaction-c","title":"Compact conversation","kind":"think","status":"failed","content":[{"type":"content","content":{"type":"text","text":"Compaction failed: No room."}}]}`},
		"a client of compactions": {capableClient, []string{compacts(`,"status":null`), compacts(`,"status":"completed"`), compacts(`,"summary":[]`), `a {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`}, `s: {"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}
s: {"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}
s: {"sessionUpdate":"compaction_update","compactionId":"c","summary":[],"status":"completed"}
s: {"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}`},
	} {
		w := newWorld(t, 0)
		c.shake(w)
		w.client = nil
		if w.play(c.lines...); w.messages() != c.want {
			t.Errorf("%s: the client got\n%s\nwant\n%s", name, w.messages(), c.want)
		}
		w.checkSize(t, name)
	}
}
