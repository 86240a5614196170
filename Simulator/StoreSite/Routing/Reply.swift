/// What an endpoint answers, before it is put into an envelope.
struct Reply: Sendable {
    enum Content: Sendable {
        case node(JSONNode)
        /// JSON with the chosen members alone.
        case bytes([UInt8])
    }

    var content: Content
    var status = 200
    /// How many elements there are on all pages, and how many pages.
    var paging: (total: Int, pages: Int)?

    init(_ node: JSONNode, status: Int = 200) { (content, self.status) = (.node(node), status) }

    init(bytes: [UInt8], status: Int = 200) { (content, self.status) = (.bytes(bytes), status) }

    /// The elements of a page, out of all of them.
    init(page: PageChoice, of all: [JSONNode]) {
        self.init(.list(Array(page.slice(all))))
        paging = page.paging(all.count)
    }
}
