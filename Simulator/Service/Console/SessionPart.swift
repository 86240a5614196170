public import Sessions
import Text

/// The part of a report page that shows a recorded session as the console does: its events in lanes, its exchanges
/// decoded, and what was to be seen after each event. It needs no server, and without scripts it is a text.
public enum SessionPart {
    /// The script of the page, which reads ``data(_:)``.
    static let script = JoinedScript("report.js", of: PageFiles.modules).text

    /// Returns the part.
    ///
    /// - Parameters:
    ///   - events: all events of the session.
    ///   - text: the events as text, with the HTML characters escaped.
    /// - Returns: the HTML text.
    public static func html(_ events: [SessionEvent], text: String) -> String {
        """
        <section id="views" aria-labelledby="h-timeline" hidden>
        <h2 id="h-timeline">Timeline</h2>
        <div class="tools row" role="group" aria-label="Step through the events">
        <button id="firstevent" type="button">First</button> <button id="back" type="button">Back</button>
        <button id="forward" type="button">Forward</button> <button id="lastevent" type="button">Last</button></div>
        <p id="place" class="place" role="status"></p>
        <div class="row tools">
        <div><label for="filter">Search the events</label><input id="filter" type="search" autocomplete="off"></div>
        <p class="check"><input id="apdus" type="checkbox" checked>
        <label for="apdus">With the card's exchanges</label></p></div>
        <div class="timeline"><div class="events">
        <div class="lanes" aria-hidden="true"><span>#</span><span>s</span><span>Till</span>
        <span>Reader and card</span><span>Journal</span><span>Host</span><span>Store</span></div>
        <ol id="log" class="log" role="listbox" tabindex="0" aria-label="Events; arrow keys move"></ol></div>
        <aside class="details" aria-label="The chosen event">
        <h3 id="h-moment">What was to be seen</h3><dl id="moment" class="moment"></dl>
        <div id="detail" class="detail" role="region" aria-label="Details of the event" tabindex="0"></div>
        </aside></div></section>
        <details id="text" open><summary>Events as text</summary>
        <pre tabindex="0">\(text)</pre></details>
        <script type="application/json" id="session">\(data(events))</script>
        <script>
        \(script)</script>

        """
    }

    /// Returns the events and the decodings of exchanges by event, as JSON for a script element: without `<`, which
    /// could end the element.
    static func data(_ events: [SessionEvent]) -> String {
        let decodings = DecodedExchange.all(in: events).map { event, exchange in
            JSONValue.Member(String(event), exchange.json)
        }
        let rows = events.map { event -> JSONValue in
            [
                "id": JSONValue(event.number), "milliseconds": JSONValue(event.milliseconds),
                "kind": .text(event.kind.rawValue), "detail": .text(event.detail),
            ]
        }
        let value: JSONValue = ["events": .list(rows), "decodings": .object(decodings)]
        return value.jsonText.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
    }
}
