package document

import "acpshim/translate/entry"

// words are what people and models write for a status, in lower case.
var words = map[string]entry.Status{
	"done": entry.Completed, "complete": entry.Completed, "completed": entry.Completed, "finished": entry.Completed, "implemented": entry.Completed,

	"erledigt": entry.Completed, "fertig": entry.Completed, "abgeschlossen": entry.Completed, "terminé": entry.Completed, "fait": entry.Completed,
	"hecho": entry.Completed, "completado": entry.Completed, "concluído": entry.Completed, "выполнено": entry.Completed, "готово": entry.Completed,
	"完了": entry.Completed, "完了済み": entry.Completed, "済": entry.Completed, "已完成": entry.Completed, "完成": entry.Completed, "완료": entry.Completed,

	"in progress": entry.InProgress, "in-progress": entry.InProgress, "in_progress": entry.InProgress, "inprogress": entry.InProgress,
	"wip": entry.InProgress, "doing": entry.InProgress, "ongoing": entry.InProgress,
	"underway": entry.InProgress, "partially done": entry.InProgress,
	"partially complete": entry.InProgress, "in review": entry.InProgress, "nearly complete": entry.InProgress, "almost done": entry.InProgress,
	"in arbeit": entry.InProgress, "en cours": entry.InProgress, "en progreso": entry.InProgress, "em andamento": entry.InProgress,
	"в работе": entry.InProgress, "進行中": entry.InProgress, "作業中": entry.InProgress, "进行中": entry.InProgress, "진행 중": entry.InProgress,

	"todo": entry.Pending, "to do": entry.Pending, "to-do": entry.Pending, "pending": entry.Pending, "planned": entry.Pending,
	"not started": entry.Pending, "not done": entry.Pending, "backlog": entry.Pending,

	"tbd": entry.Pending, "not yet": entry.Pending, "not implemented": entry.Pending, "not complete": entry.Pending,
	"unplanned": entry.Pending,
	"offen":     entry.Pending, "à faire": entry.Pending, "pendiente": entry.Pending, "pendente": entry.Pending, "не начато": entry.Pending,
	"未着手": entry.Pending, "未完了": entry.Pending, "待办": entry.Pending, "未开始": entry.Pending, "대기": entry.Pending,

	"cancelled": entry.Cancelled, "canceled": entry.Cancelled, "dropped": entry.Cancelled, "abandoned": entry.Cancelled, "declined": entry.Cancelled,
	"rejected": entry.Cancelled, "skipped": entry.Cancelled, "wontfix": entry.Cancelled, "won't do": entry.Cancelled, "won't fix": entry.Cancelled,
	"obsolete": entry.Cancelled, "abgebrochen": entry.Cancelled, "annulé": entry.Cancelled, "cancelado": entry.Cancelled,
	"отменено": entry.Cancelled, "中止": entry.Cancelled, "已取消": entry.Cancelled, "취소": entry.Cancelled,
}

// weak are words that are a status only where one is announced: in a column, or
// behind "Status:". Elsewhere they say something else too often.
var weak = map[string]entry.Status{
	"missing": entry.Pending, "no": entry.Pending, "next": entry.Pending, "open": entry.Pending, "deferred": entry.Pending, "draft": entry.Pending, "upcoming": entry.Pending, "waiting": entry.Pending, "queued": entry.Pending, "incomplete": entry.Pending, "blocked": entry.Pending,
	"ready": entry.Completed, "yes": entry.Completed, "fixed": entry.Completed, "closed": entry.Completed, "passed": entry.Completed, "verified": entry.Completed, "shipped": entry.Completed, "merged": entry.Completed, "resolved": entry.Completed,
	"current": entry.InProgress, "active": entry.InProgress, "started": entry.InProgress, "partial": entry.InProgress,
	"removed": entry.Cancelled,
}

// signs are the emoji of a status where no legend says otherwise.
var signs = map[string]entry.Status{
	"✅": entry.Completed, "☑": entry.Completed, "✔": entry.Completed, "✓": entry.Completed, "🟢": entry.Completed, "🎉": entry.Completed,
	"🔄": entry.InProgress, "🚧": entry.InProgress, "🏗": entry.InProgress, "🔨": entry.InProgress, "🟡": entry.InProgress, "⏩": entry.InProgress,
	"⏳": entry.Pending, "⌛": entry.Pending, "⬜": entry.Pending, "☐": entry.Pending, "🔲": entry.Pending, "⏸": entry.Pending, "📋": entry.Pending,
	"🔴": entry.Pending, "🟠": entry.Pending, "⚠": entry.Pending, "⭕": entry.Pending, "🔜": entry.Pending,
	"❌": entry.Cancelled, "🚫": entry.Cancelled, "☒": entry.Cancelled, "✗": entry.Cancelled, "✘": entry.Cancelled,
}
