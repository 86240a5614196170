import Text

/// A page of a list, newest first.
struct StripePage {
    private static let cursors = ["limit", "starting_after", "ending_before"]

    /// The parameters of every list, with those of one list.
    static func names(_ others: String...) -> [String] { cursors + others }

    /// Returns the page of objects that a call asks for.
    ///
    /// - Parameters:
    ///   - objects: all objects that match, oldest first.
    ///   - path: the path of the list.
    ///   - parameters: the cursors and the limit.
    ///   - show: makes the JSON of an object.
    /// - Returns: the list object.
    /// - Throws: ``StripeError`` for a cursor that is not in the list.
    static func json<Object: StripeObject>(
        _ objects: [Object], _ path: String, _ parameters: StripeParameters, _ show: (Object) -> JSONValue
    ) throws(StripeError) -> JSONValue {
        let limit = Int(try parameters.integer("limit", in: 1...100) ?? 10)
        let (after, before) = (try parameters.text("starting_after"), try parameters.text("ending_before"))
        guard after == nil || before == nil else {
            throw StripeError(
                code: "parameters_exclusive", "Give either starting_after or ending_before.",
                parameter: "ending_before", isStored: false)
        }
        let newest = objects.reversed() as [Object]
        let data: ArraySlice<Object>
        let hasMore: Bool
        if let before {
            let newer = newest[..<(try index(of: before, newest, "ending_before"))]
            data = newer.suffix(limit)
            hasMore = newer.count > limit
        } else {
            let start = try after.map { id throws(StripeError) in try index(of: id, newest, "starting_after") + 1 } ?? 0
            data = newest[start...].prefix(limit)
            hasMore = newest.count - start > limit
        }
        return ["object": "list", "data": .list(data.map(show)), "has_more": .bool(hasMore), "url": .text(path)]
    }

    private static func index<Object: StripeObject>(
        of id: String, _ objects: [Object], _ parameter: String
    ) throws(StripeError) -> Int {
        guard let index = objects.firstIndex(where: { $0.id == id }) else {
            throw .noSuch("object", id, parameter: parameter)
        }
        return index
    }
}

/// Replaces IDs with their objects where a call asks for it with `expand[]`.
struct StripeExpansion {
    /// Returns the object with an ID; nil when it can't be shown.
    let object: (String) -> JSONValue?

    /// The fields that hold an ID of an object.
    private static let fields: Set<String> = [
        "payment_intent", "latest_charge", "charge", "refund", "location", "customer", "payment_method",
        "balance_transaction",
    ]
    private static let deepest = 4

    /// Refuses paths that no object has. A call is checked before anything of it happens.
    static func check(_ paths: [String]) throws(StripeError) {
        for path in paths {
            let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let last = parts.last, fields.contains(last), parts.count <= deepest + 1 else { throw failure(path) }
        }
    }

    /// Returns a JSON value with the objects at these paths, such as `data.latest_charge`.
    func expand(_ json: JSONValue, _ paths: [String]) throws(StripeError) -> JSONValue {
        var json = json
        for path in paths { json = try expand(json, path.split(separator: ".").map(String.init)[...], path) }
        return json
    }

    private func expand(
        _ json: JSONValue, _ parts: ArraySlice<String>, _ path: String
    ) throws(StripeError) -> JSONValue {
        guard let part = parts.first else {
            // An object that is already expanded stays.
            if case .text(let id) = json { return object(id) ?? json }
            return json
        }
        switch json {
        case .list(let elements):
            var expanded: [JSONValue] = []
            for element in elements { expanded.append(try expand(element, parts, path)) }
            return .list(expanded)
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.name == part }) else { throw Self.failure(path) }
            members[index].value = try expand(members[index].value, parts.dropFirst(), path)
            return .object(members)
        case .text(let id):
            // A path expands everything on its way.
            guard let found = object(id) else { throw Self.failure(path) }
            return try expand(found, parts, path)
        case .null: return json
        case .bool, .number: throw Self.failure(path)
        }
    }

    private static func failure(_ path: String) -> StripeError {
        StripeError(
            code: nil, "This property cannot be expanded (\(path.prefix(200))).", parameter: "expand[0]",
            isStored: false)
    }
}
