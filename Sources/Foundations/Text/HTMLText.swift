/// Converts the HTML that stores send in names, notes, and messages to plain text.
///
/// WordPress writes some characters of every text as references (`Caf&eacute; &quot;Zw&ouml;lf&quot;`) and allows
/// elements in many of them.
public enum HTMLText {
    /// Returns the text without its tags and comments, and with its character references replaced. Ends of paragraphs,
    /// rows, and list items, and `<br>`, become line breaks. The text of scripts and styles is dropped.
    ///
    /// As in WordPress, a `<` is a tag only when a name follows it and a `>` comes before the next `<`; otherwise it is
    /// part of the text. References are replaced once: `&amp;lt;` becomes `&lt;`.
    public static func plain(_ html: String) -> String {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return html }
        var reader = Reader(html)
        reader.read()
        return reader.result
    }

    private struct Reader {
        private var rest: Substring.UnicodeScalarView
        private var text = String.UnicodeScalarView()
        private var hasTags = false
        /// The ends that the rest does not have, so that it is searched for each of them only once.
        private var missingEnds: Set<String> = []

        init(_ html: String) { rest = html[...].unicodeScalars }

        /// The text so far. Where tags were removed, blanks at its ends have no meaning.
        var result: String {
            guard hasTags else { return String(text) }
            let start = text.drop(while: \.properties.isWhitespace)
            return String(
                String.UnicodeScalarView(start.reversed().drop(while: \.properties.isWhitespace).reversed()))
        }

        mutating func read() {
            while let scalar = rest.first {
                if scalar == "<", takeMarkup() { continue }
                if scalar == "&", takeReference() { continue }
                text.append(scalar)
                rest = rest.dropFirst()
            }
        }

        // MARK: Tags

        /// Skips a tag or comment at the start of the rest. Returns false when there is none.
        private mutating func takeMarkup() -> Bool {
            let inside = rest.dropFirst()
            if String(inside.prefix(3)) == "!--" {
                guard let end = end(of: "-->", in: inside.dropFirst(3)) else { return false }
                (rest, hasTags) = (end, true)
                return true
            }
            let isEnd = inside.first == "/"
            let start = isEnd ? inside.dropFirst() : inside
            guard let first = start.first, first.isLetter || (!isEnd && (first == "!" || first == "?")),
                let end = Self.endOfTag(start)
            else { return false }
            let name = String(start.prefix { $0.isLetter || ("0"..."9").contains($0) }).lowercased()
            (rest, hasTags) = (end, true)
            if Self.silent.contains(name), !isEnd {
                rest = self.end(of: "</" + name, in: end).map { $0.drop { $0 != ">" }.dropFirst() } ?? end
            } else if Self.blocks.contains(name), isEnd || name == "br" || name == "hr" {
                text.append("\n")
            }
            return true
        }

        /// Returns the rest after the `>` of a tag; nil when another `<` comes first, outside quotation marks.
        private static func endOfTag(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView? {
            var quote: Unicode.Scalar?
            for index in text.indices {
                switch text[index] {
                case let scalar where scalar == quote: quote = nil
                case "\"" where quote == nil, "'" where quote == nil: quote = text[index]
                case ">" where quote == nil: return text[text.index(after: index)...]
                case "<" where quote == nil: return nil
                default: break
                }
            }
            // An apostrophe in something that is no tag: look for the plain end.
            guard quote != nil, let end = text.firstIndex(where: { $0 == ">" || $0 == "<" }), text[end] == ">" else {
                return nil
            }
            return text[text.index(after: end)...]
        }

        /// Returns the rest after the first occurrence of an ASCII text, in any case.
        private mutating func end(
            of wanted: String, in text: Substring.UnicodeScalarView
        ) -> Substring.UnicodeScalarView? {
            guard !missingEnds.contains(wanted) else { return nil }
            let count = wanted.unicodeScalars.count
            var rest = text
            while let index = rest.firstIndex(of: wanted.unicodeScalars.first ?? " ") {
                rest = rest[index...]
                if String(rest.prefix(count)).lowercased() == wanted { return rest.dropFirst(count) }
                rest = rest.dropFirst()
            }
            missingEnds.insert(wanted)
            return nil
        }

        private static let silent: Set = ["script", "style"]
        private static let blocks: Set = [
            "br", "hr", "p", "div", "li", "tr", "ul", "ol", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6",
        ]

        // MARK: Character references

        /// Replaces a character reference at the start of the rest. Returns false when there is none.
        private mutating func takeReference() -> Bool {
            // The longest name is `thetasym`, the longest number has seven digits; both may be padded with zeros.
            let name = rest.dropFirst().prefix(32).prefix { $0 != ";" && $0 != "&" && !$0.properties.isWhitespace }
            guard rest.dropFirst(1 + name.count).first == ";", let meant = HTMLText.scalar(of: String(name)) else {
                return false
            }
            text.append(meant)
            rest = rest.dropFirst(2 + name.count)
            return true
        }
    }

    /// Returns the character of a reference without its `&` and `;`: `eacute`, `#233`, `#xE9`.
    static func scalar(of reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return CharacterReferences.named[reference] }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
        let body = isHexadecimal ? digits.dropFirst() : digits
        guard let first = body.first, first != "+", first != "-" else { return nil }
        guard let code = UInt32(body, radix: isHexadecimal ? 16 : 10) else { return nil }
        return CharacterReferences.numbered(code)
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}

/// The character references of HTML 4.01 §24, which browsers and PHP know.
private enum CharacterReferences {
    /// Returns the character of a number. Numbers 128 to 159 are meant as in Windows-1252 (HTML Standard §13.2.5.80);
    /// a number that is no character becomes U+FFFD.
    static func numbered(_ code: UInt32) -> Unicode.Scalar {
        switch code {
        case 9, 10: break
        case 0xA0: return " "
        case 0..<32, 127: return "\u{FFFD}"
        case 128...159: return windows[Int(code) - 128]
        default: break
        }
        return Unicode.Scalar(code) ?? "\u{FFFD}"
    }

    static let named: [String: Unicode.Scalar] = {
        var table: [String: Unicode.Scalar] = [:]
        for (start, names) in runs {
            for (offset, name) in names.split(whereSeparator: \.isWhitespace).enumerated() where name != "-" {
                table[String(name)] = Unicode.Scalar(start + UInt32(offset))
            }
        }
        // A blank that does not break is a blank here.
        table["nbsp"] = " "
        return table
    }()

    /// Names of consecutive characters, from the code of the first one; `-` has no name.
    private static let runs: [(UInt32, String)] = [
        (0x22, "quot"), (0x26, "amp apos"), (0x3C, "lt"), (0x3E, "gt"),
        (
            0xA0,
            """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
            acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml
            Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde
            Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig
            ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide
            oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        ),
        (0x152, "OElig oelig"), (0x160, "Scaron scaron"), (0x178, "Yuml"), (0x192, "fnof"), (0x2C6, "circ"),
        (0x2DC, "tilde"),
        (
            0x391,
            """
            Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon
            Phi Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi
            omicron pi rho sigmaf sigma tau upsilon phi chi psi omega - - - - - - - thetasym upsih - - - piv
            """
        ),
        (0x2002, "ensp emsp"), (0x2009, "thinsp - - zwnj zwj lrm rlm - - - ndash mdash"),
        (0x2018, "lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull - - - hellip"), (0x2030, "permil"),
        (0x2032, "prime Prime"), (0x2039, "lsaquo rsaquo"), (0x203E, "oline"), (0x2044, "frasl"), (0x20AC, "euro"),
        (0x2111, "image"), (0x2118, "weierp"), (0x211C, "real"), (0x2122, "trade"), (0x2135, "alefsym"),
        (0x2190, "larr uarr rarr darr harr"), (0x21B5, "crarr"), (0x21D0, "lArr uArr rArr dArr hArr"),
        (0x2200, "forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - lowast"),
        (0x221A, "radic - - prop infin - ang - - - - - - and or cap cup int"), (0x2234, "there4"), (0x223C, "sim"),
        (0x2245, "cong"), (0x2248, "asymp"), (0x2260, "ne equiv - - le ge"), (0x2282, "sub sup nsub - sube supe"),
        (0x2295, "oplus - otimes"), (0x22A5, "perp"), (0x22C5, "sdot"), (0x2308, "lceil rceil lfloor rfloor"),
        (0x2329, "lang rang"), (0x25CA, "loz"), (0x2660, "spades - - clubs - hearts diams"),
    ]

    private static let windows: [Unicode.Scalar] = [
        "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž", "\u{FFFD}",
        "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{FFFD}", "ž", "Ÿ",
    ]
}
