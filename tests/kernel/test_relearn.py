"""What a learning means for what is known: again, instead, too late, or new."""

from __future__ import annotations

from typing import Any

import pytest

from nous.features.rules_reader.extractor import extract
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.relearn import Standing, judge
from nous.kernel.log.extraction import STANDING, Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.types import TYPES
from nous.providers.words import word_likeness
from telling import told

OLD, NEW = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"


def said(text: str) -> Learning:
    """What the reader makes of a prompt, or would if it kept it: whether it does is not the question here."""
    turns = [
        Turn(uuid="1", kind="prompt", at=OLD, session_id="s", text="go on"),
        Turn(uuid="2", kind="reply", at=OLD, session_id="s", text="Done."),
        Turn(uuid="3", kind="prompt", at=OLD, session_id="s", text=text),
        Turn(uuid="4", kind="reply", at=OLD, session_id="s", text="Understood."),
    ]
    found = [one for one in extract(turns) if isinstance(one, Learning)]
    return found[0] if found else told(turns, 2)


def memory(text: str, place: int = 1, valid_from: str = OLD, **fields: Any) -> Memory:
    learning = said(text)
    return Memory(
        id=place,
        learning_id=f"l{place}",
        project_id="p",
        session_id="s",
        type=learning.type,
        kind=TYPES[learning.type].kind,
        content=learning.content,
        created_at=valid_from,
        valid_from=valid_from,
        version=place,
        slot=learning.slot,
        files=learning.files,
        entities=learning.entities,
        **fields,
    )


def verdict(text: str, *known: Memory, at: str = NEW) -> Standing:
    return judge(said(text), at, known, word_likeness, by_user=True)


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ("always format with `just fmt` before committing", "always format with `just fmt` before committing."),
        ("in this repo we never commit generated files", "we never commit generated files in this repo"),
        ("quiz ids are ulids, never integers", "quiz ids are always ulids, never integers"),
    ],
)
def test_the_same_in_other_words_is_a_repetition(known: str, again: str) -> None:
    assert verdict(again, memory(known)).repeats == 1


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("the auth module never talks to the database directly, always through auth_repo",
         "the mail module never talks to the database directly, always through mail_repo"),
        ("for export we decided on a timeout of 65 seconds, because the upstream is slow",
         "for search we decided on a timeout of 48 seconds, because the upstream is slow"),
        ("the owner of sso is team grey, ask them before changing its schema",
         "the owner of quota is team red, ask them before changing its schema"),
        ("remember: tax tests need the fixture set `tax-32`", "remember: mail tests need the fixture set `mail-96`"),
        ("in theme all ids are prefixed with the_", "in mail all ids are prefixed with mai_"),
        ("the api runs on port 9000", "the admin ui runs on port 9001"),
        ("we use redis for sessions", "we drop redis for the job queue and use SQS instead"),
        ("always run the linter before pushing", "never push without a ticket number"),
        ("the staging database is read-only", "the production database is replicated"),
        ("I prefer short answers", "I prefer small commits"),
    ],
)  # fmt: skip
def test_facts_about_different_things_stand_side_by_side(known: str, other: str) -> None:
    found = verdict(other, memory(known))
    assert found.repeats is None
    assert found.supersedes == ()
    assert found.superseded_by is None


@pytest.mark.parametrize(
    ("known", "now"),
    [
        ("dev server is on port 4100", "the dev server now runs on 4600"),
        ("the default branch is master here", "that's outdated, we renamed it: the default branch is trunk now"),
        ("log level in production is INFO", "production log level must be WARNING from now on"),
        ("the owner of search is team blue", "search is now owned by team red"),
        ("for the job queue we go with RabbitMQ", "we drop RabbitMQ and use Postgres SKIP LOCKED for the jobs instead"),
        ("for the cache we use memcached", "we use redis for the cache now, not memcached"),
        ("the build box is an x86 server", "the build box is an arm64 Jetson now"),
        ("tests run with `make test`", "from now on run the tests with `just test`"),
    ],
)
def test_a_new_value_supersedes_the_old_one(known: str, now: str) -> None:
    found = verdict(now, memory(known))
    assert found.supersedes == (1,)
    assert found.repeats is None


@pytest.mark.parametrize(
    ("known", "now"),
    [
        ("emails go out via mailgun", "we switched from mailgun to postmark"),
        ("the frontend uses redux for state", "we moved the frontend state from redux to zustand"),
        ("secrets come from vault", "secrets come from AWS secrets manager now, vault was shut down"),
        ("we decided to write the worker in rust", "we go back to python for the worker, rust took too long"),
        ("decision: we go with graphql for the public api", "decision reversed: the public api stays REST, no graphql"),
        ("the app targets node 18", "bumped node to 22"),
        ("postgres 14 runs in production", "production was upgraded to postgres 16 yesterday"),
        ("always squash commits before merging", "don't squash commits any more, we keep the history"),
        ("we don't use docker here", "we use docker now after all"),
        ("the maximum upload size is 10 MB", "the upload limit is 50 MB now"),
        ("reviews go to Petra", "Petra left the company, reviews go to Jonas now"),
        ("the search index lives in solr", "solr was retired, search runs on meilisearch"),
        ("usamos yarn en este proyecto", "hemos cambiado de yarn a pnpm"),
        ("nous utilisons MySQL pour les commandes", "nous avons migré de MySQL à PostgreSQL"),
        ("prices are stored as floats", "prices are stored as integer cents now"),
        ("wir nutzen MariaDB für die Rechnungen", "wir sind von MariaDB auf Postgres umgestiegen"),
        ("wir deployen freitags nie", "wir deployen jetzt auch freitags"),
        ("der Standard-Branch heißt master", "master wurde in main umbenannt"),
        ("on utilise webpack pour le build", "on est passé de webpack à vite"),
        ("les logs vont dans /var/log/app", "les logs vont maintenant dans journald, plus dans /var/log/app"),
        ("las citas duran 30 minutos por defecto", "mejor citas de 45 minutos por defecto, con 30 no da tiempo"),
        ("la base de datos es mysql", "la base de datos ahora es postgres"),
    ],
)  # fmt: skip
def test_what_was_given_up_or_changed_ends_or_is_asked_about(known: str, now: str) -> None:
    found = verdict(now, memory(known, tags=(STANDING,)))
    assert (*found.supersedes, *found.asks) == (1,)


@pytest.mark.parametrize(
    ("known", "elsewhere"),
    [
        ("production runs postgres 14", "we upgraded staging to postgres 16"),
        ("logs in production go to datadog", "logs in staging no longer go to datadog, they go to loki"),
        ("unit tests use sqlite", "production moved from sqlite to postgres"),
        ("prod deploys with helm", "for the local dev cluster we switched from helm to kustomize"),
        ("the billing service uses redis for locks", "we dropped redis in the search service"),
        ("orders are stored in postgres", "sessions moved from postgres to redis"),
        ("we use kafka for events between services", "we moved email notifications off kafka"),
        ("the auth service signs tokens with RS256", "the partner gateway switched from RS256 to ES256"),
        ("the web team uses jira for tickets", "the data team moved from jira to linear"),
        ("the cron job for backups runs every 15 minutes", "the cron job for reports runs every 5 minutes now"),
        ("the default page size is 20", "the default page size for exports is 500 now"),
        ("the web client's timeout is 30 seconds", "the mobile client's timeout is 60 seconds now"),
        ("the orders table has a soft delete flag", "the users table no longer has a soft delete flag"),
        ("feature branches are deleted after merge", "release branches are no longer deleted after merge"),
        ("never edit files under vendor/", "files under generated/ can be edited now"),
        ("the python sdk supports 3.9", "the server dropped python 3.9"),
        ("api responses are cached in redis for 60 seconds", "redis was upgraded to 7.2"),
        ("wir nutzen Redis für Sessions", "für die Job-Queue nutzen wir kein Redis mehr"),
        ("le service de paiement utilise redis", "le service de recherche n'utilise plus redis"),
        ("en producción usamos mysql", "en los tests ya no usamos mysql sino sqlite"),
        ("el cliente web usa react", "el cliente móvil ya no usa react, usa flutter"),
    ],
)
def test_a_change_elsewhere_leaves_a_memory_alone(known: str, elsewhere: str) -> None:
    found = verdict(elsewhere, memory(known))
    assert found.supersedes == ()
    assert found.repeats is None


def test_the_file_where_a_learning_might_stand_is_not_what_it_is_aimed_at() -> None:
    known = memory("the release notes in docs/CHANGES.md are written by hand")
    words = known.content
    aimed = Learning(content="Releases are tagged by CI.", type="requirement", evidence=("u",), recited=words)
    assert judge(aimed, NEW, [known]).supersedes == (1,)
    filed = Learning(content="Releases are tagged by CI.", type="requirement", evidence=("u",), suggested_target=words)
    assert judge(filed, NEW, [known]).supersedes == ()


def test_a_negation_alone_is_no_common_subject() -> None:
    known = memory("that doesn't hold: both use python 3.13 installed by uv")
    assert verdict("please don't take credit away from claude-3-7, it was a past contributor", known).supersedes == ()


def test_history_that_arrives_late_is_superseded_by_what_is_known() -> None:
    known = memory("the dev server now runs on 4600", valid_from=NEW)
    found = verdict("dev server is on port 4100", known, at=OLD)
    assert found.superseded_by == 1
    assert found.supersedes == ()


def test_a_change_leaves_newer_memories_alone() -> None:
    known = memory("for the job queue we go with RabbitMQ", valid_from=NEW)
    assert verdict("we drop RabbitMQ and use SQS for the jobs instead", known, at=OLD).supersedes == ()


def test_a_pinned_memory_is_not_superseded_by_wording() -> None:
    known = memory("for the job queue we go with RabbitMQ", pinned=True)
    assert verdict("we drop RabbitMQ and use SQS for the jobs instead", known).supersedes == ()


def test_superseded_memories_are_not_asked_again() -> None:
    known = memory("dev server is on port 4100", status="superseded")
    assert verdict("the dev server runs on 4600", known) == Standing()


def test_work_on_another_branch_is_not_the_same_work() -> None:
    learning = Learning(
        content="Last work: insert works.", type="work_state", evidence=("1",), branch="a", slot="work_state|a"
    )
    known = Memory(
        id=1, learning_id="l", project_id="p", session_id="s", type="work_state", kind="episodic",
        content="Last work: insert works.", created_at=OLD, version=1, branch="b", slot="work_state|b",
    )  # fmt: skip
    assert judge(learning, NEW, [known]).repeats is None


def test_the_same_command_is_one_memory_whatever_was_said_about_it() -> None:
    def procedure(content: str) -> Learning:
        return Learning(content=content, type="procedure", evidence=("1",))

    known = Memory(
        id=1, learning_id="l", project_id="p", session_id="s", type="procedure", kind="procedural",
        content="Run the tests with `make check` (plain `pytest` fails: no module).", created_at=OLD, version=1,
    )  # fmt: skip
    assert judge(procedure("Run the tests with `make check`."), NEW, [known]).repeats == 1
    assert judge(procedure("Run the tests with `make test`."), NEW, [known]).repeats is None
