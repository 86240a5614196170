extension Sequence {
    /// The elements in the order in which `names` names them; those that it does not name are left out.
    func ordered<Name: Hashable>(by names: [Name], _ name: (Element) -> Name) -> [Element] {
        let byName = Dictionary(map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        return names.compactMap { byName[$0] }
    }
}
