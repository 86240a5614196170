extension PaymentJournal {
    /// Keeps objects of tills as they are now, and deletes others, in one transaction. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - objects: the objects; one whose name is known takes the place of the earlier one.
    ///   - deleted: the names of the objects to delete.
    /// - Throws: ``JournalError/storage(_:)`` when that is not certain.
    public func keep(_ objects: [TillObject], deleting deleted: [String] = []) throws(JournalError) {
        try write { storage in
            for object in objects {
                let known = try storage.allObjects(
                    ofType: TillObject.self, matching: StoragePredicate("name = ?", object.name))
                if var known = known.first {
                    (known.contents, known.updatedAt) = (object.contents, object.updatedAt)
                    try storage.updateObject(known)
                } else {
                    try storage.insertNewObject(object)
                }
            }
            for name in deleted {
                try storage.deleteObjects(ofType: TillObject.self, matching: StoragePredicate("name = ?", name))
            }
        }
    }

    /// Returns the objects of the tills of a protocol, in the order of their creation.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func tillObjects(of protocolName: String) throws(JournalError) -> [TillObject] {
        try read { storage in
            try storage.allObjects(
                ofType: TillObject.self, matching: StoragePredicate("protocol = ?", protocolName), sortedBy: "id",
                limit: nil)
        }
    }

    /// Deletes all but the newest objects of a kind.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func forgetTillObjects(
        of protocolName: String, kind: String, beyond limit: Int
    ) throws(JournalError) {
        try write { storage in
            let place = StoragePredicate("protocol = ? AND kind = ?", protocolName, kind)
            let newest = try storage.allObjects(
                ofType: TillObject.self, matching: place, sortedBy: "id DESC", limit: limit)
            guard newest.count == limit, let last = newest.last else { return }
            try storage.deleteObjects(
                ofType: TillObject.self,
                matching: StoragePredicate("protocol = ? AND kind = ? AND id < ?", protocolName, kind, last.id))
        }
    }
}
