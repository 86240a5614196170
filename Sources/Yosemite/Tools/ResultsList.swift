internal import Storage

/// The objects that a request finds, in their order, and how they follow the database.
struct ResultsList<Model: ReadOnlyType>: Sendable {
    /// More rows than this are read anew together with all others.
    private static var mostRowsOneByOne: Int { 500 }

    let request: ResultsRequest<Model>
    /// The list as it is.
    private(set) var snapshot = ResultsSnapshot<Model>([], hasSections: true)
    private var entries: [ResultsEntry<Model>] = []
    private var byRow: [Int64: ResultsEntry<Model>] = [:]
    private var lastNumber = 0

    init(_ request: ResultsRequest<Model>) { self.request = request }

    /// The same objects, for another request.
    func with(_ request: ResultsRequest<Model>) -> ResultsList {
        var list = ResultsList(request)
        (list.byRow, list.lastNumber) = (byRow, lastNumber)
        return list
    }

    // MARK: Following the database

    /// Reads everything. When it throws, the list is as it was.
    mutating func readAll(from storage: any StorageType) throws {
        let rows = try storage.rows(
            ofType: Model.Record.self, matching: request.predicate ?? .all, sortedBy: request.sortDescriptors,
            limit: request.limit, among: nil)
        entries = try rows.map { try entry(of: $0) }
        byRow = entries.reduce(into: Dictionary(minimumCapacity: entries.count)) { $0[$1.row] = $1 }
        group()
    }

    /// Reads what a commit changed. When it throws, the list is as it was.
    mutating func follow(_ changes: RowChanges, in storage: any StorageType) throws {
        guard !changes.isReset, changes.written.count <= Self.mostRowsOneByOne else {
            return try readAll(from: storage)
        }
        let rows = try storage.rows(
            ofType: Model.Record.self, matching: request.predicate ?? .all, sortedBy: request.sortDescriptors,
            limit: nil,
            among: changes.written)
        let touched = changes.written.union(changes.deleted).compactMap { byRow[$0] }
        // What comes after the last object of a full list is not known: when one leaves or moves, it may be the next.
        if let limit = request.limit, entries.count >= limit, touched.contains(where: { mayLeave($0, rows) }) {
            return try readAll(from: storage)
        }
        let written = try rows.map { try entry(of: $0) }
        for entry in touched { remove(entry) }
        for entry in written { insert(entry) }
        if let limit = request.limit {
            for entry in entries.dropFirst(max(0, limit)) { byRow[entry.row] = nil }
            entries.removeLast(max(0, entries.count - max(0, limit)))
        }
        group()
    }

    private mutating func group() {
        snapshot = ResultsSnapshot(entries, hasSections: request.sectionName != nil)
    }

    /// Whether an object does not keep its place.
    private func mayLeave(_ entry: ResultsEntry<Model>, _ rows: [StoredRow<Model.Record>]) -> Bool {
        guard let row = rows.first(where: { $0.number == entry.row }) else { return true }
        return row.place != entry.place
    }

    // MARK: Entries

    /// The entry that stands for a row: the one that is there when it says the same.
    private mutating func entry(of row: StoredRow<Model.Record>) throws -> ResultsEntry<Model> {
        let model = try row.record.toReadOnly()
        let section = request.sectionName?(model) ?? ""
        lastNumber += 1
        var (identity, version) = (lastNumber, lastNumber)
        // The number of a deleted row is given to a new one, so the key decides whether it is the same object.
        if let old = byRow[row.number], old.model.isReadOnlyRepresentation(of: row.record) {
            identity = old.identity
            if old.model == model {
                if old.section == section, old.place == row.place { return old }
                version = old.version
            }
        }
        return ResultsEntry(
            identity: identity, version: version, row: row.number, model: model, place: row.place, section: section)
    }

    private mutating func remove(_ entry: ResultsEntry<Model>) {
        let index = index(of: entry.place)
        guard entries.indices.contains(index), entries[index] === entry else { return }
        entries.remove(at: index)
        byRow[entry.row] = nil
    }

    private mutating func insert(_ entry: ResultsEntry<Model>) {
        entries.insert(entry, at: index(of: entry.place))
        byRow[entry.row] = entry
    }

    /// The index of the first object that is not before `place`.
    private func index(of place: SortedPlace) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
