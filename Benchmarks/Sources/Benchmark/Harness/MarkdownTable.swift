/// A table in Markdown, with numbers right-aligned.
struct MarkdownTable {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: String...) { self.header = header }

    mutating func add(_ row: String...) { rows.append(row) }

    var text: String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        var lines = all.map { row in
            "| "
                + row.indices.map { column in
                    let space = String(repeating: " ", count: widths[column] - row[column].count)
                    return column == 0 ? row[column] + space : space + row[column]
                }.joined(separator: " | ") + " |"
        }
        let rule = widths.indices.map { column in
            String(repeating: "-", count: widths[column] + 1) + (column == 0 ? "-" : ":")
        }
        lines.insert("|" + rule.joined(separator: "|") + "|", at: 1)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Samples {
    /// The median, and the range in parentheses.
    func text(decimals: Int) -> String {
        "\(median.text(decimals)) (\(minimum.text(decimals))...\(maximum.text(decimals)))"
    }
}

extension Double {
    func text(_ decimals: Int) -> String {
        guard isFinite else { return "none" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (self * scale).rounded()
        guard decimals > 0 else { return String(Int(scaled)) }
        let digits = String(Int(scaled.magnitude))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (scaled < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
