/* More processes than the policy states. Usual programs that do not start because of the limit of tasks, with words that do not name it. A program
 * that starts many threads or processes itself has asked for it, and so has one that met the limit of our own
 * box. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/limit.h"
#include "exec/oracle/symptom.h"

#define MANY "hread|fork|Pool|Process|while|for |&|make"

static const struct symptom items[] = {
    {.said = "blas_thread_init: pthread_create failed",
     .detail = "a numeric library cannot start its threads"},
    {.said = "Thread creation failed|libgomp: ",
     .also = "Resource temporarily unavailable",
     .detail = "a numeric library cannot start its threads"},
    {.said = "can't start new thread", .unless = MANY, .detail = "a program cannot start a thread"},
    {.said = "Cannot fork|fork: retry|fork: ",
     .also = "Resource temporarily unavailable|Cannot fork",
     .unless = MANY,
     .detail = "a program cannot start another"},
    {.said = "uv_thread_create|pthread_create",
     .also = "Resource temporarily unavailable|Assertion",
     .unless = MANY,
     .detail = "a runtime cannot start its threads"},
    {0},
};

static const struct symptoms symptoms = {
    "task-limit-breaks-start", "a usual program does not start under the limit of tasks", items, NULL};

static void judge(const struct execution *e, struct verdicts *out)
{
    const struct snapshot *a = &e->at_start, *z = &e->at_end;
    limit_report(e, out, symptoms.slug, POLICY_PROCESSES);
    bool counted = a->made && z->made && z->group_processes > 0;
    if (counted && z->process_refusals == a->process_refusals)
        symptoms_report(e, out, &symptoms);
}

const struct check check_task_limit_breaks_start = {
    "task-limit-breaks-start", "C70", "process",
    "usual programs start under the limit of tasks, or the limit is named", judge};
