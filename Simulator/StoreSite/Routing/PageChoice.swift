/// Which page of a list is asked for.
struct PageChoice: Sendable {
    let number: Int
    let size: Int
    private let offset: Int?

    init(_ parameters: SiteParameters, size standard: Int = 10) throws(SiteError) {
        number = try parameters.integer("page", in: 1...Int(Int32.max), default: 1)
        size = try parameters.integer("per_page", in: 1...100, default: standard)
        let offset = try parameters.integer("offset", in: 0...Int(Int32.max), default: -1)
        self.offset = offset < 0 ? nil : offset
    }

    var start: Int { offset ?? (number - 1) * size }

    func slice<Element>(_ all: [Element]) -> ArraySlice<Element> {
        let start = min(start, all.count)
        return all[start..<min(all.count, start + size)]
    }

    func paging(_ total: Int) -> (total: Int, pages: Int) { (total, (total + size - 1) / size) }
}
